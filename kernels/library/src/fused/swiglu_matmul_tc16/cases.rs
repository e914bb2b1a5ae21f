//! Shapes and values at which another arithmetic than that of a tensor core, or an h that is not rounded, would look
//! right elsewhere.

use crate::case::{Case, Draw};
use crate::fused::swiglu_matmul::cases::{Shape, case, normal};
use crate::tensor::{Dtype, Tensor};

/// The fused kernel.
const KERNEL: &str = "swiglu_matmul_tc16";

pub fn cases() -> Vec<Case> {
    let (f32, bf16, fp16) = (Dtype::F32, Dtype::Bf16, Dtype::Fp16);
    let shapes: [(&str, Shape, [Dtype; 2], &'static str); 12] = [
        ("no_units", [0, 3, 16, 5], [bf16, f32], "a launch over nothing that reads something"),
        ("no_outputs", [1, 3, 16, 0], [bf16, f32], "an h that is only written where y is"),
        ("one", [1, 1, 1, 1], [bf16, f32], "gate and up exchanged"),
        ("one_step", [1, 4, 16, 16], [bf16, f32], "steps that are cut elsewhere than after 16 products"),
        ("step_less_one", [2, 17, 15, 17], [bf16, f32], "a short step that is not filled up with zeros"),
        ("step_and_one", [2, 31, 17, 33], [bf16, f32], "a short step that is added to the one before"),
        ("prime", [3, 43, 37, 29], [bf16, f32], "tiles that only work when they divide"),
        ("long_chain", [1, 5, 273, 9], [bf16, f32], "accumulators lost between two blocks of a chain"),
        ("many_rows", [2, 515, 3, 4], [bf16, f32], "rows of several tasks that land in each other's place"),
        ("to_bf16", [2, 67, 45, 39], [bf16, bf16], "a y that is rounded after every step"),
        ("fp16", [2, 67, 45, 39], [fp16, fp16], "an h that is rounded to bf16"),
        ("fp16_to_f32", [1, 30, 20, 10], [fp16, f32], "an h that takes the dtype of y"),
    ];
    let mut cases = Vec::new();
    for (index, (name, shape, [operand, output], prevents)) in shapes.into_iter().enumerate() {
        let inputs = normal(5000 + 16 * index as u64, shape, [operand; 2]);
        cases.push(case(KERNEL, name, prevents, output, inputs));
    }
    let wild = |dtype, limit: f32, seed, shape: &[usize]| Draw::new(seed).wild(dtype, shape, limit);
    let special = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN, -200.0, 1.0, 0.0, -0.0, f32::from_bits(0xFFC0_0001)];
    let special = Tensor::from_f32_as(bf16, &[1, 2, 4], &special);
    let of = |dtype, limit| vec![wild(dtype, limit, 5901, &[2, 9, 80]), wild(dtype, limit, 5902, &[7, 40])];
    for (name, prevents, inputs) in [
        ("wild", "terms far below the largest that are rounded instead of cut", of(bf16, 1e18)),
        ("wild_fp16", "an h beyond the largest fp16, and subnormal ones", of(fp16, 65_504.0)),
        ("not_finite", "NaN payloads that differ", vec![special, wild(bf16, 1e18, 5903, &[3, 2])]),
    ] {
        cases.push(case(KERNEL, name, prevents, f32, inputs).bits_only());
    }
    cases
}
