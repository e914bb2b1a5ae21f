//! Embedding: rows of a table, picked by token.
//!
//! **Computes.** Forward: `tokens_us` u32, `table_vd` f32, bf16 or fp16 → `y_usd` (dtype of the table). Backward:
//! `tokens_us`, `dy_usd` → `dtable_uvd` f32, one table for each unit.
//!
//! **Order of operations.** Forward copies. Backward, for each unit alone: its (token, position) records in a stable
//! sort; the run of one token is cut into partials of 256 records; a partial adds `dy` from +0 with positions
//! ascending, plain adds in f32; partials by `tree`. The row of a token that does not occur is +0.
//!
//! **Tokens outside the table.** The data never holds one. Both kernels still answer: the position's row of `y` is the
//! canonical NaN, so that it is seen, and it contributes nothing to `dtable`.
//!
//! **Variants.** `cpu_reference`: for each row of the table, a search through the tokens. `cpu_simd`: one sort for each
//! unit, ranges of the table spread over the pool, columns side by side.
//!
//! **Not promised.** NaN in the table is copied as the canonical NaN.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Records of one partial of a table row's gradient.
const PARTIAL_RECORDS: usize = 256;

/// The forward kernel has no attributes: `{}`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackwardAttributes {
    /// Rows of the table.
    pub vocabulary: usize,
}

pub struct Embedding;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "embedding",
        contract: "embedding.gather.v1",
        inputs: &["tokens", "table"],
        outputs: &["y"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs: |specs| (specs[0].elements() * specs[1].shape[1]) as u64,
    },
    Kernel {
        name: "embedding_backward",
        contract: "embedding_backward.sorted_tree.v1",
        inputs: &["tokens", "dy"],
        outputs: &["dtable"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs: |specs| specs[1].elements() as u64,
    },
];

impl Room for Embedding {
    fn name(&self) -> &'static str {
        "embedding"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let Some(dy) = forward.gradients[0] else {
            return Ok(vec![None, None]);
        };
        let vocabulary = builder.spec(forward.inputs[1]).shape[0];
        let inputs = [forward.inputs[0], dy];
        let gradients = builder.node("embedding_backward", json!({ "vocabulary": vocabulary }), &inputs)?;
        Ok(vec![None, Some(gradients[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("embedding", attributes)?;
    match inputs {
        [tokens, table] if is_tokens(tokens) && is_table(table) => {
            Ok(vec![Spec::new(table.dtype, &[tokens.shape[0], tokens.shape[1], table.shape[1]])])
        }
        _ => Err(RoomError::new(
            "embedding",
            "tokens u32 [units, positions], table [vocabulary ≥ 1, width ≥ 1] f32, bf16 or fp16",
            format!("{inputs:?}"),
        )),
    }
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let BackwardAttributes { vocabulary } = decode("embedding_backward", attributes)?;
    match inputs {
        [tokens, dy]
            if vocabulary > 0
                && is_tokens(tokens)
                && dy.dtype.is_float()
                && dy.shape.len() == 3
                && dy.shape[..2] == tokens.shape
                && dy.shape[2] > 0 =>
        {
            Ok(vec![Spec::f32(&[dy.shape[0], vocabulary, dy.shape[2]])])
        }
        _ => Err(RoomError::new(
            "embedding_backward",
            "vocabulary ≥ 1, tokens u32 [units, positions], dy [units, positions, width ≥ 1] f32, bf16 or fp16",
            format!("vocabulary {vocabulary}, {inputs:?}"),
        )),
    }
}

fn is_tokens(tokens: &Spec) -> bool {
    tokens.dtype == Dtype::U32 && tokens.shape.len() == 2
}

fn is_table(table: &Spec) -> bool {
    table.dtype.is_float() && table.shape.len() == 2 && table.shape[0] > 0 && table.shape[1] > 0
}
