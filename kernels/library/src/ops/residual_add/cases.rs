//! Shapes and values at which a wrong sum would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let shapes: [(&str, [usize; 3], Dtype, &'static str); 9] = [
        ("no_units", [0, 3, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("one", [1, 1, 1], Dtype::F32, "a vector loop without its tail"),
        ("prime", [3, 7, 37], Dtype::F32, "work that only covers whole tiles"),
        ("tile_less_one", [1, 5, 51], Dtype::F32, "a tile that reads past its end"),
        ("tile_and_one", [1, 1, 257], Dtype::Bf16, "a second tile with one element"),
        ("task_and_one", [1, 5, 3277], Dtype::F32, "a second task with one element"),
        ("bf16", [2, 33, 96], Dtype::Bf16, "operands that are rounded before they are added"),
        ("fp16", [2, 17, 48], Dtype::Fp16, "a sum that is rounded as bf16"),
    ];
    let mut cases: Vec<Case> = shapes
        .into_iter()
        .enumerate()
        .map(|(index, (name, shape, dtype, prevents))| {
            let seed = 1100 + 2 * index as u64;
            let x = Draw::new(seed).normal(dtype, &shape, 1.5);
            let a = Draw::new(seed + 1).normal(dtype, &shape, 0.7);
            Case::new(name, "residual_add", prevents, json!({}), vec![x, a])
        })
        .collect();
    let special = [f32::INFINITY, f32::INFINITY, f32::from_bits(0xFFC0_0001), -0.0, -0.0, 1e-45, f32::MAX, 1.0];
    let other = [f32::NEG_INFINITY, 1.0, 1.0, -0.0, 0.0, 1e-40, f32::MAX, f32::EPSILON / 2.0];
    let tensors = |dtype| [&special, &other].map(|values| Tensor::from_f32_as(dtype, &[1, 2, 4], values)).to_vec();
    let wild =
        |dtype, seed, limit| [seed, seed + 1].map(|seed| Draw::new(seed).wild(dtype, &[2, 9, 64], limit)).to_vec();
    for (name, prevents, inputs) in [
        ("special", "NaN payloads, a lost sign of zero and flushed subnormals", tensors(Dtype::F32)),
        ("special_bf16", "an overflow or NaN that changes when it is rounded to bf16", tensors(Dtype::Bf16)),
        ("wild", "sums in another precision", wild(Dtype::F32, 1190, f32::MAX)),
        ("wild_bf16", "a rounding to bf16 that is not to nearest even", wild(Dtype::Bf16, 1192, f32::MAX)),
        ("wild_fp16", "a sum beyond the largest fp16, and subnormal ones", wild(Dtype::Fp16, 1194, 65_504.0)),
    ] {
        cases.push(Case::new(name, "residual_add", prevents, json!({}), inputs).bits_only());
    }
    cases
}
