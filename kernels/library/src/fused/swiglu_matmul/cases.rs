//! Shapes and values at which a wrong fusion would look right elsewhere.

use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

/// Units, rows, F, N.
pub(crate) type Shape = [usize; 4];

/// The fused kernel.
const KERNEL: &str = "swiglu_matmul";

pub fn cases() -> Vec<Case> {
    let (f32, bf16, fp16) = (Dtype::F32, Dtype::Bf16, Dtype::Fp16);
    let shapes: [(&str, Shape, [Dtype; 3], &'static str); 11] = [
        ("no_units", [0, 3, 4, 5], [f32; 3], "a launch over nothing that reads something"),
        ("no_outputs", [1, 3, 4, 0], [f32; 3], "an h that is only written where y is"),
        ("one", [1, 1, 1, 1], [f32; 3], "gate and up exchanged"),
        ("prime", [3, 43, 37, 29], [f32; 3], "tiles that only work when they divide"),
        ("lanes_and_one", [1, 33, 65, 17], [f32; 3], "a last group of lanes that spills into the next row"),
        ("long_chain", [1, 5, 400, 9], [f32; 3], "accumulators lost between two blocks of a chain"),
        ("many_rows", [2, 515, 3, 4], [f32; 3], "rows of several tasks that land in each other's place"),
        ("bf16", [2, 67, 45, 39], [bf16; 3], "an h that is not rounded before the product"),
        ("bf16_to_f32", [1, 30, 20, 10], [bf16, bf16, f32], "an h that takes the dtype of y"),
        ("f32_to_bf16", [1, 30, 20, 10], [f32, bf16, bf16], "an h that takes the dtype of w"),
        ("fp16", [1, 37, 29, 18], [fp16; 3], "an h that is rounded to bf16"),
    ];
    let mut cases = Vec::new();
    for (index, (name, shape, [gate_up, w, output], prevents)) in shapes.into_iter().enumerate() {
        let inputs = normal(16 * index as u64, shape, [gate_up, w]);
        cases.push(case(KERNEL, name, prevents, output, inputs));
    }
    let wild = |seed, shape: &[usize]| Draw::new(seed).wild(f32, shape, 1e18);
    let special = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN, -200.0, 1.0, 0.0, -0.0, f32::from_bits(0xFFC0_0001)];
    let special = Tensor::from_f32(&[1, 2, 4], &special);
    for (name, prevents, inputs) in [
        ("wild", "flushed subnormals and products that are rounded", vec![wild(901, &[2, 9, 80]), wild(902, &[7, 40])]),
        ("not_finite", "NaN payloads that differ between processors", vec![special, wild(903, &[3, 2])]),
    ] {
        cases.push(case(KERNEL, name, prevents, f32, inputs).bits_only());
    }
    cases
}

pub(crate) fn normal(seed: u64, [units, rows, f, n]: Shape, [gate_up, w]: [Dtype; 2]) -> Vec<Tensor> {
    vec![Draw::new(seed).normal(gate_up, &[units, rows, 2 * f], 1.5), Draw::new(seed + 1).normal(w, &[n, f], 0.5)]
}

pub(crate) fn case(
    kernel: &'static str,
    name: &str,
    prevents: &'static str,
    output: Dtype,
    inputs: Vec<Tensor>,
) -> Case {
    let attributes = json!({"first": {}, "second": {"output": output}});
    Case::new(name, kernel, prevents, attributes, inputs)
}
