//! Shapes, masks and values at which another arithmetic than that of a tensor core, or a wrong fused head, would look
//! right elsewhere.

use crate::case::{Case, Draw};
use crate::fused::head_cross_entropy::cases::pair;
use crate::ops::cross_entropy::UNCOUNTED;
use crate::ops::cross_entropy::cases::{Mask, targets, words};
use crate::tensor::{Dtype, Tensor};

/// The fused kernels, forward and backward.
const KERNELS: [&str; 2] = ["head_cross_entropy_tc16", "head_cross_entropy_tc16_backward"];

pub fn cases() -> Vec<Case> {
    use Dtype::{Bf16, F32, Fp16};
    // Units, positions, width, columns; dtypes of the operands and of dlogits.
    let shapes: [(&str, [usize; 4], [Dtype; 2], &'static str); 13] = [
        ("no_units", [0, 3, 16, 8], [Bf16; 2], "a launch over nothing that reads something"),
        ("no_positions", [2, 0, 16, 5], [Bf16; 2], "dw of a unit without a step that is left as garbage instead of +0"),
        ("one", [1, 1, 1, 1], [Bf16; 2], "one column, whose loss is exactly +0"),
        ("one_step", [1, 16, 16, 16], [Bf16; 2], "steps that are cut elsewhere than after 16 products"),
        ("step_and_one", [2, 17, 17, 17], [Bf16; 2], "a short step that is added to the one before"),
        ("prime", [3, 7, 13, 37], [Bf16, F32], "dlogits in f32 that a product reads; units that share a chain"),
        ("block_less_one", [1, 3, 5, 1023], [Bf16; 2], "padding columns that enter a sum"),
        ("block", [1, 2, 5, 1024], [Bf16; 2], "an empty second block"),
        ("block_and_one", [2, 3, 5, 1025], [Bf16; 2], "a second block with one column"),
        ("block_and_a_half", [2, 3, 5, 1536], [Bf16; 2], "a chain of dx that starts again at the second block"),
        ("three_blocks", [1, 2, 3, 2049], [Bf16; 2], "dx that is rounded between blocks, not once at its end"),
        ("task_and_one", [1, 129, 3, 130], [Bf16; 2], "a second task of rows with one row, and of columns with two"),
        ("fp16", [2, 5, 24, 67], [Fp16; 2], "dlogits and dx that are rounded as bf16"),
    ];
    let mut cases = Vec::new();
    for (index, (name, [units, positions, width, columns], [operand, dlogits], prevents)) in
        shapes.into_iter().enumerate()
    {
        let seed = 6000 + 16 * index as u64;
        let x = Draw::new(seed).normal(operand, &[units, positions, width], 1.0);
        let w = Draw::new(seed + 1).normal(operand, &[columns, width], 1.0);
        let mask = if index % 2 == 1 { Mask::Some } else { Mask::All };
        let targets = targets(&[units, positions], columns, mask, seed + 2);
        cases.extend(pair(KERNELS, name, [x, w, targets], [0.0625, 3e-4], dlogits, prevents));
    }
    let normal = |seed, shape: &[usize]| Draw::new(seed).normal(Bf16, shape, 1.0);
    let padding = [normal(6900, &[2, 5, 8]), normal(6901, &[33, 8]), targets(&[2, 5], 33, Mask::None, 6902)];
    let prevents = "padding rows that add to the loss, dx or dw";
    cases.extend(pair(KERNELS, "only_padding", padding, [0.0, 0.0], Bf16, prevents));
    for (name, dtype, limit) in [("wild", Bf16, 1e15), ("wild_fp16", Fp16, 65_504.0)] {
        let x = Draw::new(7000).wild(dtype, &[1, 4, 6], limit);
        let w = Draw::new(7001).wild(dtype, &[1030, 6], limit);
        let operands = [x, w, targets(&[1, 4], 1030, Mask::Some, 7002)];
        let prevents = "terms far below the largest that are rounded instead of cut";
        cases.extend(pair(KERNELS, name, operands, [0.1, 0.1], dtype, prevents).map(Case::bits_only));
    }
    let infinite = [
        Tensor::from_f32_as(Bf16, &[1, 3, 2], &[f32::INFINITY, 1.0, f32::NAN, -1.0, 1.0, 2.0]),
        Tensor::from_f32_as(Bf16, &[3, 2], &[1.0, 0.0, -1.0, 2.0, 0.5, 0.25]),
        words(&[1, 3], &[0, UNCOUNTED, 7]),
    ];
    let prevents = "NaN payloads that differ, and a target outside the columns";
    cases.extend(pair(KERNELS, "not_finite", infinite, [0.1, 0.1], Bf16, prevents).map(Case::bits_only));
    cases
}
