//! Cuts of a batch and values at which a wrong accumulation would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    // Units of the call, first unit, units of a leaf, leaves.
    let cuts: [(&str, [usize; 4], &[usize], &'static str); 11] = [
        ("no_units", [0, 2, 2, 2], &[5], "leaves that are cleared although no unit came"),
        ("empty", [3, 0, 2, 2], &[0, 4], "a division by a size of zero"),
        ("one", [1, 0, 1, 1], &[1], "an accumulator that starts from what lies there"),
        ("scalar", [4, 0, 2, 2], &[], "a parameter without axes"),
        ("whole_leaf", [4, 4, 4, 4], &[3, 7], "leaves that are not touched and are written"),
        ("several_leaves", [6, 2, 2, 4], &[37], "a leaf that takes its predecessor's sum"),
        ("continued", [1, 3, 4, 2], &[5, 11], "a call that begins inside a leaf and clears it"),
        ("across", [5, 3, 4, 2], &[13], "a leaf border in the middle of a call"),
        ("last", [2, 6, 8, 1], &[9], "a leaf that is divided by the units of the call"),
        ("task_and_one", [3, 0, 2, 2], &[16385], "a second task with one element"),
        ("tasks", [2, 1, 2, 2], &[129, 256], "pieces that read the unit's first elements"),
    ];
    for (index, (name, [units, first, per_leaf, leaves], rest, prevents)) in cuts.into_iter().enumerate() {
        let seed = 1900 + 2 * index as u64;
        let unit = Draw::new(seed).normal(Dtype::F32, &[&[units], rest].concat(), 1.0);
        let leaves = Draw::new(seed + 1).normal(Dtype::F32, &[&[leaves], rest].concat(), 1.0);
        cases.push(case(name, prevents, per_leaf, unit, first, leaves));
    }
    let unit = Draw::new(1990).wild(Dtype::F32, &[7, 301], f32::MAX);
    let leaves = Draw::new(1991).wild(Dtype::F32, &[2, 301], f32::MAX);
    cases.push(case("wild", "units that are added in another order or precision", 5, unit, 2, leaves).bits_only());
    let payload = f32::from_bits(0xFFC0_0001);
    let unit = Tensor::from_f32(&[2, 4], &[-0.0, payload, f32::INFINITY, 1e-45, -0.0, 1.0, f32::NEG_INFINITY, 1e-45]);
    let leaves = Tensor::from_f32(&[2, 4], &[1.0, 1.0, 1.0, 1.0, payload, -0.0, payload, 1.0]);
    let prevents = "a leaf that starts from its first unit and keeps −0, NaN payloads, a NaN touched in another leaf";
    cases.push(case("special", prevents, 2, unit, 0, leaves).bits_only());
    cases
}

fn case(name: &str, prevents: &'static str, per_leaf: usize, unit: Tensor, first: usize, leaves: Tensor) -> Case {
    let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&[17, first as u64]));
    let attributes = json!({"units_per_leaf": per_leaf});
    Case::new(name, "accumulate", prevents, attributes, vec![unit, position, leaves])
}
