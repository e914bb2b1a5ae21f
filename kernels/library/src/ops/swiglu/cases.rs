//! Shapes and values at which a wrong SwiGLU would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    // Units, positions, width of h.
    let shapes: [(&str, [usize; 3], Dtype, &'static str); 10] = [
        ("no_units", [0, 3, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("no_rows", [2, 0, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("one", [1, 1, 1], Dtype::F32, "gate and up exchanged, which a symmetric test does not see"),
        ("prime", [3, 7, 37], Dtype::F32, "halves that are found only when widths divide"),
        ("lanes_less_one", [1, 5, 31], Dtype::F32, "a group of lanes that is filled up with garbage"),
        ("tile_and_one", [1, 3, 257], Dtype::F32, "a second tile with one element"),
        ("tasks", [2, 33, 129], Dtype::F32, "a last task with fewer rows than the others"),
        ("wide", [1, 2, 5000], Dtype::Bf16, "a row that is longer than a task"),
        ("bf16", [2, 33, 172], Dtype::Bf16, "an activation that is rounded to bf16 before it is multiplied"),
        ("fp16", [2, 17, 43], Dtype::Fp16, "an activation that is rounded as bf16"),
    ];
    let mut cases = Vec::new();
    for (index, (name, [units, positions, width], dtype, prevents)) in shapes.into_iter().enumerate() {
        let seed = 1700 + 2 * index as u64;
        let gate_up = Draw::new(seed).normal(dtype, &[units, positions, 2 * width], 2.0);
        let dh = Draw::new(seed + 1).normal(dtype, &[units, positions, width], 0.7);
        cases.extend(pair(name, prevents, gate_up, dh, false));
    }
    for (name, dtype, limit) in
        [("wild", Dtype::F32, f32::MAX), ("wild_bf16", Dtype::Bf16, f32::MAX), ("wild_fp16", Dtype::Fp16, 65_504.0)]
    {
        let gate_up = Draw::new(1790).wild(dtype, &[2, 9, 128], limit);
        let dh = Draw::new(1791).wild(dtype, &[2, 9, 64], limit);
        cases.extend(pair(name, "an exponential that overflows or flushes at another place", gate_up, dh, true));
    }
    let gates = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 1.0, 88.8, -88.8, -103.9, -104.1, 1e-45];
    let ups = [1.0, 1.0, 1.0, -1.0, f32::from_bits(0xFFC0_0001), -1.0, 1.0, 1e30, f32::MAX, -1.0];
    let gate_up = Tensor::from_f32(&[1, 1, 20], &[gates, ups].concat());
    let dh = Tensor::from_f32(&[1, 1, 10], &[1.0, -1.0, 1.0, -0.0, 2.0, 1e30, f32::INFINITY, 1.0, 1.0, 1.0]);
    cases.extend(pair("special", "a sigmoid that is clamped, NaN payloads, a lost sign of zero", gate_up, dh, true));
    cases
}

fn pair(name: &str, prevents: &'static str, gate_up: Tensor, dh: Tensor, bits_only: bool) -> [Case; 2] {
    let forward = Case::new(name, "swiglu", prevents, json!({}), vec![gate_up.clone()]);
    let name = format!("{name}_backward");
    let backward = Case::new(name, "swiglu_backward", prevents, json!({}), vec![gate_up, dh]);
    [forward, backward].map(|case| if bits_only { case.bits_only() } else { case })
}
