//! Shapes and values at which a wrong squared ReLU would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let shapes: [(&str, [usize; 3], Dtype, &'static str); 8] = [
        ("empty", [2, 0, 8], Dtype::F32, "a launch over nothing that reads something"),
        ("one", [1, 1, 1], Dtype::F32, "a vector loop without its tail"),
        ("prime", [3, 7, 37], Dtype::F32, "work that only covers whole tiles"),
        ("tile_less_one", [1, 5, 51], Dtype::F32, "a tile that reads past its end"),
        ("tile_and_one", [1, 1, 257], Dtype::F32, "a second tile with one element"),
        ("task_and_one", [1, 5, 3277], Dtype::F32, "a second task with one element"),
        ("bf16", [2, 33, 96], Dtype::Bf16, "a square or a doubled value that is rounded to bf16 before its use"),
        ("fp16", [2, 17, 48], Dtype::Fp16, "a square that is rounded as bf16"),
    ];
    let mut cases = Vec::new();
    for (index, (name, shape, dtype, prevents)) in shapes.into_iter().enumerate() {
        let seed = 1400 + 2 * index as u64;
        let x = Draw::new(seed).normal(dtype, &shape, 1.5);
        let dy = Draw::new(seed + 1).normal(dtype, &shape, 0.7);
        cases.extend(pair(name, prevents, x, dy, false));
    }
    for (name, dtype, limit) in
        [("wild", Dtype::F32, f32::MAX), ("wild_bf16", Dtype::Bf16, f32::MAX), ("wild_fp16", Dtype::Fp16, 65_504.0)]
    {
        let [x, dy] = [1490, 1491].map(|seed| Draw::new(seed).wild(dtype, &[2, 9, 64], limit));
        cases.extend(pair(name, "flushed subnormals and overflows at another place", x, dy, true));
    }
    let negative_nan = f32::from_bits(0xFFC0_0001);
    let x = [-0.0, 0.0, -1.0, -0.0, -1.0, f32::NEG_INFINITY, f32::INFINITY, f32::NAN, negative_nan, 1.0, 1e-30];
    let dy = [1.0, -1.0, -1.0, -1.0, f32::INFINITY, 1.0, 0.0, 0.0, 1.0, negative_nan, 1e30];
    for (name, dtype) in [("special", Dtype::F32), ("special_bf16", Dtype::Bf16)] {
        let [x, dy] = [&x, &dy].map(|values| Tensor::from_f32_as(dtype, &[1, 1, 11], values));
        cases.extend(pair(name, "a NaN taken for a negative value, a zero of the wrong sign", x, dy, true));
    }
    cases
}

fn pair(name: &str, prevents: &'static str, x: Tensor, dy: Tensor, bits_only: bool) -> [Case; 2] {
    let forward = Case::new(name, "squared_relu", prevents, json!({}), vec![x.clone()]);
    let backward = Case::new(format!("{name}_backward"), "squared_relu_backward", prevents, json!({}), vec![x, dy]);
    [forward, backward].map(|case| if bits_only { case.bits_only() } else { case })
}
