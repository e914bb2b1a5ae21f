//! Operands of a batch of products, in which every matrix has a partner of its own.

use super::{operands, output};
use crate::room::{RoomError, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Attributes of `matmul_tc16_batched`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// A is stored as [batch, K, M] instead of [batch, M, K].
    #[serde(default)]
    pub transpose_a: bool,
    /// B is stored as [batch, N, K] instead of [batch, K, N].
    #[serde(default)]
    pub transpose_b: bool,
    /// Dtype of y: f32, bf16 or fp16.
    pub output: Dtype,
}

/// Sides of the products.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    /// Terms of one element.
    pub k: usize,
}

impl Attributes {
    /// Sides of the products of operands of these shapes, if they fit together.
    pub(super) fn sides(&self, a: &[usize], b: &[usize]) -> Option<Sides> {
        let ([batch, rows, cols], [other_batch, other_rows, other_cols]) = (a, b) else { return None };
        let (m, k) = if self.transpose_a { (*cols, *rows) } else { (*rows, *cols) };
        let (other_k, n) = if self.transpose_b { (*other_cols, *other_rows) } else { (*other_rows, *other_cols) };
        (batch == other_batch && k == other_k).then_some(Sides { batch: *batch, m, n, k })
    }
}

pub(super) fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let decoded: Attributes = decode("matmul_tc16_batched", attributes)?;
    let output = output("matmul_tc16_batched", decoded.output)?;
    let sides = match inputs {
        [a, b] if operands(a, b) => decoded.sides(&a.shape, &b.shape),
        _ => None,
    };
    let Some(Sides { batch, m, n, .. }) = sides else {
        let expected = "a [batch, M, K], b [batch, K, N], each with its last two axes exchanged where it is transposed, \
                        both bf16 or both fp16";
        return Err(RoomError::new("matmul_tc16_batched", expected, format!("{attributes}, {inputs:?}")));
    };
    Ok(vec![Spec::new(output, &[batch, m, n])])
}

/// Rough multiply-adds: whether A is transposed is not known here, so the longer side of B counts as N.
pub(super) fn macs(specs: &[Spec]) -> u64 {
    let columns = specs[1].shape[1].max(specs[1].shape[2]);
    specs[0].elements() as u64 * columns as u64
}
