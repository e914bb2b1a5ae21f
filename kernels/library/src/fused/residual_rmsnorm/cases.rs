//! Shapes and values at which a wrong fusion would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [(&str, [usize; 3], Dtype, &'static str); 11] = [
        ("no_units", [0, 3, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("one", [1, 1, 1], Dtype::F32, "a mean that divides by the wrong width"),
        ("prime", [3, 31, 37], Dtype::F32, "rows and lanes that only work when they divide"),
        ("lane_less_one", [1, 2, 31], Dtype::F32, "a butterfly that reads lanes which hold nothing"),
        ("block_and_one", [2, 3, 1025], Dtype::F32, "a second block with one element"),
        ("two_blocks_less_one", [1, 3, 2047], Dtype::F32, "the tree over blocks, and a short last block"),
        ("tasks", [2, 131, 64], Dtype::F32, "a last task with fewer rows than the others"),
        ("bf16", [2, 65, 96], Dtype::Bf16, "a norm of the sum before it was rounded at the edge"),
        ("bf16_wide", [1, 2, 8200], Dtype::Bf16, "a row that is longer than a task"),
        ("fp16", [2, 33, 48], Dtype::Fp16, "a norm of a sum that is rounded as bf16"),
    ];
    for (index, (name, shape, dtype, prevents)) in shapes.into_iter().enumerate() {
        let seed = 2100 + 3 * index as u64;
        let x = Draw::new(seed).normal(dtype, &shape, 1.5);
        let a = Draw::new(seed + 1).normal(dtype, &shape, 0.7);
        let gamma = Draw::new(seed + 2).normal(dtype, &shape[2..], 1.0);
        cases.push(case(name, prevents, x, a, gamma));
    }
    for (name, dtype) in [("wild", Dtype::F32), ("wild_bf16", Dtype::Bf16)] {
        let [x, a] = [2190, 2191].map(|seed| Draw::new(seed).wild(dtype, &[1, 8, 64], 1e18));
        let gamma = Draw::new(2192).normal(Dtype::F32, &[64], 1.0);
        let prevents = "flushed subnormals, a gamma of another dtype than x";
        cases.push(case(name, prevents, x, a, gamma).bits_only());
    }
    let x = [f32::INFINITY, 1.0, -1.0, 0.0, f32::NAN, 1.0, 2.0, 3.0, -0.0, -0.0, -0.0, -0.0];
    let a = [f32::NEG_INFINITY, 1.0, -1.0, 0.0, 1.0, 1.0, f32::from_bits(0xFFC0_0001), 3.0, -0.0, 0.0, 1e-45, -1e-40];
    for (name, dtype) in [("special", Dtype::F32), ("special_bf16", Dtype::Bf16)] {
        let [x, a] = [&x, &a].map(|values| Tensor::from_f32_as(dtype, &[1, 3, 4], values));
        let gamma = Tensor::from_f32(&[4], &[1.0, -1.0, 1.0, -1.0]);
        cases.push(case(name, "NaN payloads, a lost sign of zero in the sum", x, a, gamma).bits_only());
    }
    cases
}

fn case(name: &str, prevents: &'static str, x: Tensor, a: Tensor, gamma: Tensor) -> Case {
    let attributes = json!({"first": {}, "second": {"epsilon": 1e-5}});
    Case::new(name, "residual_rmsnorm", prevents, attributes, vec![x, a, gamma])
}
