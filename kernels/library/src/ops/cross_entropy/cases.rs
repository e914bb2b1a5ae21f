//! Shapes, masks and values at which a wrong cross-entropy would look right elsewhere.

use super::{UNCOUNTED, logsumexp};
use crate::case::{Case, Draw};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::json;

/// Which positions count.
#[derive(Clone, Copy)]
pub(crate) enum Mask {
    All,
    /// Every third position does not count.
    Some,
    None,
}

pub fn cases() -> Vec<Case> {
    let shapes: [(&str, [usize; 3], Mask, &'static str); 11] = [
        ("no_units", [0, 3, 8], Mask::All, "a launch over nothing that reads something"),
        ("no_positions", [2, 0, 8], Mask::All, "a unit without positions whose loss is left as garbage"),
        ("one", [1, 1, 1], Mask::All, "one column, whose loss is exactly +0"),
        ("prime", [3, 37, 101], Mask::Some, "rows and lanes that only work when they divide; masked rows that count"),
        ("lane_less_one", [1, 3, 31], Mask::All, "a butterfly that reads lanes which hold nothing"),
        ("block_less_one", [1, 2, 1023], Mask::All, "padding of the last block that enters the sum or the maximum"),
        ("block", [2, 1, 1024], Mask::All, "an empty second block"),
        ("block_and_one", [1, 3, 1025], Mask::Some, "a second block with one column"),
        ("four_blocks", [1, 5, 4096], Mask::Some, "block sums that are scaled by the wrong maximum"),
        ("five_blocks", [1, 2, 4097], Mask::All, "an odd tail of the tree over blocks"),
        ("many_positions", [1, 1030, 5], Mask::Some, "losses that are added in another order than blocked"),
    ];
    let mut cases = Vec::new();
    for (index, (name, shape, mask, prevents)) in shapes.into_iter().enumerate() {
        let dtype = if index % 2 == 0 { Dtype::F32 } else { Dtype::Bf16 };
        let logits = Draw::new(16 * index as u64).normal(Dtype::F32, &shape, 3.0);
        let targets = targets(&shape[..2], shape[2], mask, 16 * index as u64 + 1);
        cases.extend(pair(name, logits, targets, [0.0625, 3e-4], dtype, prevents));
    }
    let normal = |seed, shape: &[usize]| Draw::new(seed).normal(Dtype::F32, shape, 2.0);
    for (name, mask, weights, prevents) in [
        ("only_padding", Mask::None, [0.0, 0.0], "padding rows that add to the loss or to a gradient"),
        ("no_z_loss", Mask::Some, [0.03, 0.0], "a z term of +0 that changes the sign of a zero"),
        ("zero_weight", Mask::All, [0.0, 0.0], "a lost −0 at the target of a weightless step"),
        ("only_z_loss", Mask::All, [0.0, 0.5], "a z gradient that hides behind the loss"),
    ] {
        let (logits, targets) = (normal(900, &[2, 7, 65]), targets(&[2, 7], 65, mask, 901));
        cases.extend(pair(name, logits, targets, weights, Dtype::F32, prevents));
    }
    let (logits, targets) = (normal(916, &[2, 7, 65]), targets(&[2, 7], 65, Mask::Some, 917));
    cases.extend(pair("fp16", logits, targets, [0.0625, 3e-4], Dtype::Fp16, "gradients that are rounded as bf16"));
    cases.extend(extreme());
    cases
}

fn extreme() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, logits, targets, weights, prevents| {
        cases.extend(pair(name, logits, targets, weights, Dtype::F32, prevents).map(Case::bits_only));
    };
    let wild = Draw::new(1000).wild(Dtype::F32, &[1, 6, 1030], 1e30);
    add(
        "wild",
        wild,
        targets(&[1, 6], 1030, Mask::All, 1001),
        [0.1, 0.1],
        "exponentials that overflow before the maximum",
    );
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let mixed = [inf, 1.0, 0.0, -inf, 1.0, 0.0, nan, 1.0, 0.0, -inf, -inf, -inf, inf, inf, -inf, -0.0, 0.0, -0.0];
    let mixed = Tensor::from_f32(&[1, 6, 3], &mixed);
    add(
        "not_finite",
        mixed,
        words(&[1, 6], &[0, 0, 1, 2, 0, 1]),
        [0.1, 0.1],
        "NaN payloads that differ between processors",
    );
    let plain = Tensor::from_f32(&[1, 3, 2], &[0.5, -0.5, inf, 1.0, 2.0, 2.0]);
    let masked = words(&[1, 3], &[0, UNCOUNTED, 1]);
    add("infinite_padding", plain, masked, [0.1, 0.1], "an uncounted position whose Inf reaches a sum");
    let plain = Tensor::from_f32(&[2, 1, 2], &[0.5, -0.5, 2.0, 2.0]);
    add(
        "no_such_column",
        plain,
        words(&[2, 1], &[2, 1]),
        [0.1, 0.0],
        "a target outside the row that reads another row",
    );
    let overflow = Tensor::from_f32(&[1, 2, 2], &[0.5, -0.5, 2.0, 2.0]);
    add("overflow", overflow, words(&[1, 2], &[0, 1]), [inf, inf], "an overflow step whose gradient stays finite");
    cases
}

pub(crate) fn words(shape: &[usize], values: &[u32]) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U32, shape), bytemuck::cast_slice(values))
}

pub(crate) fn targets(shape: &[usize], columns: usize, mask: Mask, seed: u64) -> Tensor {
    let drawn = Draw::new(seed).below(shape, columns as u32);
    let masked: Vec<u32> = drawn
        .view()
        .typed::<u32>()
        .iter()
        .enumerate()
        .map(|(index, target)| match mask {
            Mask::None => UNCOUNTED,
            Mask::Some if index % 3 == 1 => UNCOUNTED,
            Mask::Some | Mask::All => *target,
        })
        .collect();
    words(shape, &masked)
}

fn pair(
    name: &str,
    logits: Tensor,
    targets: Tensor,
    weights: [f32; 2],
    output: Dtype,
    prevents: &'static str,
) -> [Case; 2] {
    let attributes = json!({ "output": output });
    let weights = Tensor::from_f32(&[2], &weights);
    let lse: Vec<f32> = logits.view().f32().chunks(logits.spec.shape[2]).map(logsumexp).collect();
    let lse = Tensor::from_f32(&logits.spec.shape[..2], &lse);
    let inputs = vec![logits.clone(), targets.clone(), weights.clone()];
    [
        Case::new(name, "cross_entropy", prevents, attributes.clone(), inputs),
        Case::new(
            format!("{name}_backward"),
            "cross_entropy_backward",
            prevents,
            attributes,
            vec![logits, targets, lse, weights],
        ),
    ]
}
