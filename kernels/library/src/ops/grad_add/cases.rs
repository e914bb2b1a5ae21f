//! Counts, shapes and values at which a wrong sum would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let shapes: [(&str, usize, &[usize], Dtype, &'static str); 9] = [
        ("empty", 2, &[2, 0, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("one", 2, &[1, 1, 1], Dtype::F32, "a vector loop without its tail"),
        ("three", 3, &[3, 7, 37], Dtype::F32, "contributions added pair by pair"),
        ("eight", 8, &[1, 5, 51], Dtype::F32, "contributions after the last that a kernel has operands for"),
        ("eight_bf16", 8, &[2, 3, 96], Dtype::Bf16, "a rounding to bf16 after each addition"),
        ("parameter", 2, &[2, 257], Dtype::F32, "gradients of parameters taken for activations"),
        ("task_and_one", 3, &[16385], Dtype::F32, "a second task with one element"),
        ("task_bf16", 2, &[1, 129, 256], Dtype::Bf16, "pieces of another length than the task's"),
        ("three_fp16", 3, &[2, 3, 48], Dtype::Fp16, "a rounding to fp16 after each addition"),
    ];
    let mut cases: Vec<Case> = shapes
        .into_iter()
        .enumerate()
        .map(|(index, (name, count, shape, dtype, prevents))| {
            let seeds = 1200 + 8 * index as u64..;
            let inputs = seeds.take(count).map(|seed| Draw::new(seed).normal(dtype, shape, 1.5)).collect();
            Case::new(name, "grad_add", prevents, json!({}), inputs)
        })
        .collect();
    let special = [
        Tensor::from_f32(&[5], &[-0.0, f32::INFINITY, f32::from_bits(0xFF80_0001), 1e-45, f32::MAX]),
        Tensor::from_f32(&[5], &[-0.0, f32::NEG_INFINITY, 1.0, 1e-45, f32::MAX]),
        Tensor::from_f32(&[5], &[-0.0, 1.0, 1.0, -1e-45, f32::MIN]),
    ];
    let wild = |dtype| (1290..1295).map(|seed| Draw::new(seed).wild(dtype, &[2, 577], f32::MAX)).collect();
    for (name, prevents, inputs) in [
        (
            "special",
            "a sum that starts from +0 and loses −0, NaN payloads, an overflow that is undone",
            special.to_vec(),
        ),
        ("wild", "another order of additions, or another precision", wild(Dtype::F32)),
        ("wild_bf16", "sums that are rounded to bf16 more than once", wild(Dtype::Bf16)),
    ] {
        cases.push(Case::new(name, "grad_add", prevents, json!({}), inputs).bits_only());
    }
    cases
}
