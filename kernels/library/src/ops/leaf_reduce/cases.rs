//! Counts, shapes and values at which a wrong reduction would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [(&str, &[usize], &'static str); 9] = [
        ("empty", &[4, 0, 3], "a division by a size of zero"),
        ("scalar", &[2], "a parameter without axes"),
        ("one_leaf", &[1, 37], "a leaf that is not rounded when there is nothing to exchange"),
        ("two", &[2, 3, 5], "a tail of a tile that is not written"),
        ("four", &[4, 129], "leaves that are added in ascending order"),
        ("eight", &[8, 5, 77], "leaves that are added in ascending order from the middle"),
        ("sixteen", &[16, 127], "a tile that reads the next leaf"),
        ("task_and_one", &[2, 8193], "a second task with one element"),
        ("many", &[64, 3], "more leaves than a kernel has registers for"),
    ];
    let both = |name: &str, prevents, leaves: Tensor| {
        ["fp32_leaf", "bf16_leaf"].map(|wire| {
            let name = format!("{name}_{wire}");
            Case::new(name, "leaf_reduce", prevents, json!({ "wire": wire }), vec![leaves.clone()])
        })
    };
    for (index, (name, shape, prevents)) in shapes.into_iter().enumerate() {
        cases.extend(both(name, prevents, Draw::new(2000 + index as u64).normal(Dtype::F32, shape, 1.5)));
    }
    let wild = Draw::new(2090).wild(Dtype::F32, &[8, 300], f32::MAX);
    let payload = f32::from_bits(0xFFC0_0001);
    let special = Tensor::from_f32(
        &[2, 6],
        &[-0.0, payload, f32::INFINITY, f32::MAX, 1e-45, -0.0, -0.0, 1.0, f32::NEG_INFINITY, 0.0, 1e-45, 0.0],
    );
    let lone = Tensor::from_f32(&[1, 3], &[-0.0, payload, 1e-45]);
    for (name, prevents, leaves) in [
        ("wild", "another order of additions, or sums that are rounded to bf16", wild),
        ("special", "a tree that starts from +0 and loses −0, NaN payloads, an overflow of the rounding", special),
        ("special_one_leaf", "a lone leaf whose NaN or −0 is copied or added to +0", lone),
    ] {
        cases.extend(both(name, prevents, leaves).map(Case::bits_only));
    }
    cases
}
