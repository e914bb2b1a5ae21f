//! Shapes, masks and values at which a wrong fused head would look right elsewhere.

use crate::case::{Case, Draw};
use crate::ops::cross_entropy::UNCOUNTED;
use crate::ops::cross_entropy::cases::{Mask, targets, words};
use crate::tensor::{Dtype, Tensor};
use serde_json::json;

/// The fused kernels, forward and backward.
const KERNELS: [&str; 2] = ["head_cross_entropy", "head_cross_entropy_backward"];

pub fn cases() -> Vec<Case> {
    use Dtype::{Bf16, F32, Fp16};
    // Units, positions, width, columns.
    let shapes: [(&str, [usize; 4], Dtype, &'static str); 12] = [
        ("no_units", [0, 3, 4, 8], F32, "a launch over nothing that reads something"),
        ("no_positions", [2, 0, 3, 5], F32, "dw of a unit without positions that is left as garbage instead of +0"),
        ("one", [1, 1, 1, 1], F32, "one column, whose loss is exactly +0"),
        ("prime", [3, 7, 13, 37], F32, "tiles that only work when they divide; units that share a chain"),
        ("bf16", [2, 5, 24, 67], Bf16, "rounding of dlogits and dx at another place"),
        ("block_less_one", [1, 3, 5, 1023], F32, "padding columns that enter a sum"),
        ("block", [1, 2, 5, 1024], Bf16, "an empty second block"),
        ("block_and_one", [2, 3, 5, 1025], F32, "a second block with one column"),
        ("block_and_a_half", [2, 3, 5, 1536], F32, "a chain of dx that starts again at the second block"),
        ("three_blocks", [1, 2, 3, 2049], Bf16, "dx that is rounded between blocks, not once at its end"),
        ("task_and_one", [1, 129, 3, 130], F32, "a second task of rows with one row, and of columns with two"),
        ("fp16", [2, 5, 24, 67], Fp16, "dlogits and dx that are rounded as bf16"),
    ];
    let mut cases = Vec::new();
    for (index, (name, [units, positions, width, columns], dtype, prevents)) in shapes.into_iter().enumerate() {
        let seed = 16 * index as u64;
        let x = Draw::new(seed).normal(dtype, &[units, positions, width], 1.0);
        let w = Draw::new(seed + 1).normal(dtype, &[columns, width], 1.0);
        let mask = if index % 2 == 1 { Mask::Some } else { Mask::All };
        let targets = targets(&[units, positions], columns, mask, seed + 2);
        cases.extend(pair(KERNELS, name, [x, w, targets], [0.0625, 3e-4], dtype, prevents));
    }
    let normal = |seed, dtype, shape: &[usize]| Draw::new(seed).normal(dtype, shape, 1.0);
    let operands = |mask| [normal(900, F32, &[2, 5, 8]), normal(901, Bf16, &[33, 8]), targets(&[2, 5], 33, mask, 902)];
    let prevents = "padding rows that add to the loss, dx or dw";
    cases.extend(pair(KERNELS, "only_padding", operands(Mask::None), [0.0, 0.0], F32, prevents));
    let prevents = "operands of two dtypes that are read as one; no z term";
    cases.extend(pair(KERNELS, "mixed_dtypes", operands(Mask::Some), [0.5, 0.0], Bf16, prevents));
    let wild = [
        Draw::new(1000).wild(F32, &[1, 4, 6], 1e15),
        Draw::new(1001).wild(F32, &[1030, 6], 1e15),
        targets(&[1, 4], 1030, Mask::Some, 1002),
    ];
    let prevents = "flushed subnormals and contracted roundings";
    cases.extend(pair(KERNELS, "wild", wild, [0.1, 0.1], F32, prevents).map(Case::bits_only));
    let infinite = [
        Tensor::from_f32(&[1, 3, 2], &[f32::INFINITY, 1.0, f32::NAN, -1.0, 1.0, 2.0]),
        Tensor::from_f32(&[3, 2], &[1.0, 0.0, -1.0, 2.0, 0.5, 0.25]),
        words(&[1, 3], &[0, UNCOUNTED, 7]),
    ];
    let prevents = "NaN payloads that differ, and a target outside the columns";
    cases.extend(pair(KERNELS, "not_finite", infinite, [0.1, 0.1], Bf16, prevents).map(Case::bits_only));
    cases
}

pub(crate) fn pair(
    kernels: [&'static str; 2],
    name: &str,
    [x, w, targets]: [Tensor; 3],
    weights: [f32; 2],
    dlogits: Dtype,
    prevents: &'static str,
) -> [Case; 2] {
    let attributes = |output| json!({"first": {"output": "f32"}, "second": {"output": output}});
    let weights = Tensor::from_f32(&[2], &weights);
    // Near log Σ exp of logits of this size, so that probabilities add up to about one.
    let columns = w.spec.shape[0] as u32;
    let near = 0.7 * columns.ilog2() as f32 + 1.0;
    let drawn = Draw::new(77).normal(Dtype::F32, &x.spec.shape[..2], 0.5).to_f32();
    let lse: Vec<f32> = drawn.iter().map(|value| value + near).collect();
    let lse = Tensor::from_f32(&x.spec.shape[..2], &lse);
    // dlogits in bf16 are too coarse for finite differences of an f32 dw: the backward case compares them. No output of
    // the forward kernel depends on their dtype, so one case of its own is enough there.
    let forward = if name == "not_finite" { dlogits } else { Dtype::F32 };
    let inputs = vec![x.clone(), w.clone(), targets.clone(), weights.clone()];
    [
        Case::new(name, kernels[0], prevents, attributes(forward), inputs),
        Case::new(
            format!("{name}_backward"),
            kernels[1],
            prevents,
            attributes(dlogits),
            vec![x, w, targets, lse, weights],
        ),
    ]
}
