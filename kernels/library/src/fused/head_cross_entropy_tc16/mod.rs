//! The output head and its cross-entropy in one, with the arithmetic of Hopper's tensor cores.
//!
//! **Computes.** `head_cross_entropy_tc16` and `head_cross_entropy_tc16_backward` have the operands, outputs and
//! attributes of `head_cross_entropy` and `head_cross_entropy_backward`, with `x`, `w` and `dx` in bf16 or all in fp16.
//! Logits and `dw` are f32.
//!
//! **Order of operations.** That of `matmul_tc16` followed by `cross_entropy`: every chain of `head_cross_entropy` is
//! one `tc16`: a logit over the width, dx over the columns, dw over the positions of a unit, each ascending from +0.
//! The steps of dx go on from block to block: 1,024 columns are whole steps. dlogits are rounded to the second `output`
//! and read by the products in the dtype of x; the second `output` is f32 or that dtype, so they are rounded once.
//!
//! **Gradient.** A root, like `cross_entropy`: no incoming gradient is read.
//!
//! **Variants.** `cpu_reference`: one step after the other, in integers. `cpu_threads`: the tasks of
//! `head_cross_entropy` with steps in vector registers.
//!
//! **Not promised.** As for `cross_entropy`. Logits of another dtype than f32 are refused.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::{Array, Oracle};
use crate::fused::head_cross_entropy::{Attributes, backward_by, inferred, inferred_backward, macs};
use crate::ops::cross_entropy;
use crate::ops::matmul_tc16::operands;
use crate::room::{Builder, Forward, Fusion, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde_json::Value;

pub struct HeadCrossEntropyTc16;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "head_cross_entropy_tc16",
        contract: "head_cross_entropy.tc16_lanes32_tree.v1",
        inputs: &["x", "w", "targets", "weights"],
        outputs: &["loss", "z", "lse"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_threads", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "head_cross_entropy_tc16_backward",
        contract: "head_cross_entropy_backward.tc16.v1",
        inputs: &["x", "w", "targets", "lse", "weights"],
        outputs: &["dx", "dw"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_threads", run: cpu::backward },
        ],
        macs: |specs| 3 * macs(specs),
    },
];

impl Room for HeadCrossEntropyTc16 {
    fn name(&self) -> &'static str {
        "head_cross_entropy_tc16"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        backward_by("head_cross_entropy_tc16_backward", forward, builder)
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn root_weights(&self, _: &str, output: usize, inputs: &[Array]) -> Option<Vec<f64>> {
        Some(cross_entropy::root_weights(output, inputs[0].shape[0], &inputs[3].values))
    }

    fn fusion(&self) -> Option<Fusion> {
        Some(Fusion {
            kernel: "head_cross_entropy_tc16",
            first: "matmul_tc16",
            second: "cross_entropy",
            joint: (0, 0),
            drops_joint: true,
        })
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    multiplied("head_cross_entropy_tc16", attributes, inputs)?;
    inferred("head_cross_entropy_tc16", attributes, inputs)
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    multiplied("head_cross_entropy_tc16_backward", attributes, inputs)?;
    inferred_backward("head_cross_entropy_tc16_backward", attributes, inputs)
}

/// Operands in one format that a tensor core multiplies, and dlogits that are rounded to no other.
fn multiplied(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<(), RoomError> {
    let Attributes { second, .. } = decode(kernel, attributes)?;
    match inputs {
        [x, w, ..] if operands(x, w) && [x.dtype, Dtype::F32].contains(&second.output) => Ok(()),
        _ => {
            let expected = "x and w both bf16 or both fp16, and a second output of f32 or their dtype";
            Err(RoomError::new(kernel, expected, format!("{attributes}, {inputs:?}")))
        }
    }
}
