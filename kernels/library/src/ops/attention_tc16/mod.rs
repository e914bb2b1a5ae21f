//! Causal softmax attention inside documents with the arithmetic of Hopper's tensor cores.
//!
//! **Computes.** `attention_tc16` and `attention_tc16_backward` have the operands, attributes and visibility of
//! `attention` and `attention_backward`, with `qkv`, `o`, `do` and `dqkv` in bf16 or all in
//! fp16.
//!
//! **Order of operations.** As `attention` for this dtype, with each of its chains in `tc16`: steps of 16 products as
//! [`numerics::tensor_core`] describes them.
//! - S and dP: steps over the channels.
//! - O: in each block of 128 keys that has a visible one, O ← steps over all keys of the block, from O. Invisible keys
//!   have P = +0.
//! - dq: in each block from the row's first to its own, steps over all keys of the block from +0; blocks are added by RN,
//!   ascending, from +0.
//! - dk, dv: one chain of steps over the query heads of the group, and inside over all query rows from the start of the
//!   key's block to the end of the packed row. Rows that do not see the key have P = dS = +0.
//!
//! Steps begin at the start of a block, of the channels, or of the rows; a last short one is filled up with zeros.
//! What is not seen takes part with a weight of +0: it changes no bit as long as it is finite, and gives NaN where it is
//! not. That is what a tensor core does with a whole tile, and so independent of the tile. Blocks behind a row's own take
//! no part in it.
//!
//! **Variants.** `cpu_reference`: matrices of weights and one step after the other. `cpu_simd`: the tiles of `attention`
//! with steps in vector registers; steps of zeros are left out where all operands are finite.
//!
//! **Not promised.** As for `attention`.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::ops::attention::{inferred, inferred_backward, macs};
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant};
use crate::tensor::Spec;
use serde_json::Value;

pub struct AttentionTc16;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "attention_tc16",
        contract: "attention.tc16_blocks128.v1",
        inputs: &["qkv", "document_start"],
        outputs: &["o", "lse2"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs: |specs| macs(&specs[0]),
    },
    Kernel {
        name: "attention_tc16_backward",
        contract: "attention_backward.tc16_blocks128.v1",
        inputs: &["qkv", "o", "lse2", "do", "document_start"],
        outputs: &["dqkv"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs: |specs| macs(&specs[0]) / 2 * 5,
    },
];

impl Room for AttentionTc16 {
    fn name(&self) -> &'static str {
        "attention_tc16"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let (Some(gradient), [qkv, document_start]) = (forward.gradients[0], forward.inputs) else {
            return Ok(vec![None, None]);
        };
        let inputs = [*qkv, forward.outputs[0], forward.outputs[1], gradient, *document_start];
        let gradients = builder.node("attention_tc16_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0]), None])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    multiplied("attention_tc16", inputs)?;
    inferred("attention_tc16", attributes, inputs)
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    multiplied("attention_tc16_backward", inputs)?;
    inferred_backward("attention_tc16_backward", attributes, inputs)
}

/// In a format that a tensor core multiplies.
fn multiplied(kernel: &str, inputs: &[Spec]) -> Result<(), RoomError> {
    match inputs.first() {
        Some(qkv) if qkv.dtype.tensor_core_format().is_none() => {
            Err(RoomError::new(kernel, "qkv in bf16 or fp16", qkv.dtype.name()))
        }
        _ => Ok(()),
    }
}
