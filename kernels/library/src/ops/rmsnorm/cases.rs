//! Shapes and values at which a wrong RMSNorm would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let shapes: [(&str, [usize; 3], &'static str); 8] = [
        ("no_units", [0, 3, 8], "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 8], "dgamma of a unit without rows that is left as garbage instead of +0"),
        ("one", [1, 1, 1], "a mean that divides by the wrong width"),
        ("prime", [3, 131, 37], "rows, lanes and partials that only work when they divide"),
        ("lane_less_one", [1, 2, 31], "a butterfly that reads lanes which hold nothing"),
        ("block", [1, 129, 1024], "a second partial of dgamma with one row"),
        ("block_and_one", [2, 5, 1025], "a second block with one element"),
        ("two_blocks_less_one", [1, 3, 2047], "the tree over blocks, and a short last block"),
    ];
    for (index, (name, shape, prevents)) in shapes.into_iter().enumerate() {
        cases.extend(pair(name, shape, Dtype::F32, prevents, 16 * index as u64));
    }
    cases.extend(pair("bf16", [2, 130, 96], Dtype::Bf16, "rounding of bf16 edges at another place", 900));
    cases.extend(pair("fp16", [2, 66, 48], Dtype::Fp16, "rounding of edges as bf16", 916));
    let draw = |seed| Draw::new(seed);
    let wild = draw(1000).wild(Dtype::F32, &[1, 8, 64], 1e18);
    let gamma = draw(1001).normal(Dtype::F32, &[64], 1.0);
    let subnormal = Tensor::from_f32(&[1, 1, 4], &[1e-40, -1e-45, 0.0, -0.0]);
    let unit = Tensor::from_f32(&[4], &[1.0, -1.0, 1.0, -1.0]);
    let infinite = Tensor::from_f32(&[1, 2, 4], &[f32::INFINITY, 1.0, -1.0, 0.0, f32::NAN, 1.0, 2.0, 3.0]);
    for (name, prevents, x, gamma) in [
        ("wild", "flushed subnormals and a sum of squares in another precision", wild, gamma),
        ("subnormal", "subnormals taken for zero, and a lost sign of zero", subnormal, unit.clone()),
        ("not_finite", "NaN payloads that differ between processors", infinite, unit),
    ] {
        cases.push(Case::new(name, "rmsnorm", prevents, json!({"epsilon": 1e-5}), vec![x, gamma]).bits_only());
    }
    cases
}

fn pair(name: &str, shape: [usize; 3], dtype: Dtype, prevents: &'static str, seed: u64) -> [Case; 2] {
    let attributes = json!({"epsilon": 1e-5});
    let x = Draw::new(seed).normal(dtype, &shape, 1.5);
    let gamma = Draw::new(seed + 1).normal(dtype, &shape[2..], 1.0);
    let dy = Draw::new(seed + 2).normal(dtype, &shape, 0.7);
    let r: Vec<f32> =
        Draw::new(seed + 3).normal(Dtype::F32, &shape[..2], 0.5).to_f32().iter().map(|r| r.abs()).collect();
    let r = Tensor::from_f32(&shape[..2], &r);
    [
        Case::new(name, "rmsnorm", prevents, attributes.clone(), vec![x.clone(), gamma.clone()]),
        Case::new(format!("{name}_backward"), "rmsnorm_backward", prevents, attributes, vec![x, gamma, r, dy]),
    ]
}
