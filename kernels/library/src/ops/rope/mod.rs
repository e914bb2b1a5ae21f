//! Rotary position embedding on a fused [q; k; v] projection.
//!
//! **Computes.** `qkv` [units, positions, (Hq + 2·Hkv)·h] f32, bf16 or fp16, `positions_us` i32, `table` f32 [2, P, h/2]
//! (cosines, then sines) → the same shape: heads of q and k rotated by the angles of their position, v copied.
//! Backward: `dqkv`, `positions`, `table` → `dqkv` of the input: the transposed rotation.
//!
//! **Order of operations.** No sums. A head is split in halves: `x0` its first, `x1` its second h/2 elements.
//! `y0 = fma(x0, cos, −RN(x1·sin))`, `y1 = fma(x1, cos, RN(x0·sin))`.
//! Backward: `d0 = fma(y0, cos, RN(y1·sin))`, `d1 = fma(y1, cos, −RN(y0·sin))`.
//! A position below 0 or not below P gives the canonical NaN in every element of q and k; v is still copied.
//!
//! **Table.** [`table`] computes it on the host; it is an input of the step and is fingerprinted like one.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: rows spread over the pool, halves of heads side by side.
//!
//! **Not promised.** Neighbouring pairs are not rotated together: weights of that convention must be permuted first.

mod cases;
mod cpu;
mod oracle;
mod reference;
mod table;
#[cfg(test)]
mod tests;

pub use table::table;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Heads of q.
    pub query_heads: usize,
    /// Heads of k, and as many of v.
    pub kv_heads: usize,
    /// Elements of a head; even.
    pub head_width: usize,
}

impl Attributes {
    /// Elements of a row of `qkv`.
    #[must_use]
    pub const fn width(&self) -> usize {
        (self.query_heads + 2 * self.kv_heads) * self.head_width
    }

    /// Heads that are rotated: those of q and k.
    const fn rotated(&self) -> usize {
        self.query_heads + self.kv_heads
    }
}

pub struct Rope;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "rope",
        contract: "rope.elementwise.v1",
        inputs: &["qkv", "positions", "table"],
        outputs: &["rotated"],
        in_place: 0,
        infer: |attributes, inputs| infer("rope", attributes, inputs),
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "rope_backward",
        contract: "rope_backward.elementwise.v1",
        inputs: &["drotated", "positions", "table"],
        outputs: &["dqkv"],
        in_place: 0,
        infer: |attributes, inputs| infer("rope_backward", attributes, inputs),
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs,
    },
];

impl Room for Rope {
    fn name(&self) -> &'static str {
        "rope"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let Some(gradient) = forward.gradients[0] else {
            return Ok(vec![None, None, None]);
        };
        let inputs = [gradient, forward.inputs[1], forward.inputs[2]];
        let gradients = builder.node("rope_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0]), None, None])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let attributes: Attributes = decode(kernel, attributes)?;
    let half = attributes.head_width / 2;
    let possible = attributes.query_heads > 0 && half > 0 && attributes.head_width.is_multiple_of(2);
    match inputs {
        [qkv, positions, table]
            if possible
                && qkv.dtype.is_float()
                && qkv.shape.len() == 3
                && qkv.shape[2] == attributes.width()
                && *positions == Spec::new(Dtype::I32, &qkv.shape[..2])
                && table.shape.len() == 3
                && *table == Spec::f32(&[2, table.shape[1], half]) =>
        {
            Ok(vec![qkv.clone()])
        }
        _ => Err(RoomError::new(
            kernel,
            "query heads ≥ 1, an even head width, qkv [units, positions, (query heads + 2·kv heads)·head width] f32 or \
             bf16, positions i32 [units, positions], table f32 [2, count, head width / 2]",
            format!("{attributes:?}, {inputs:?}"),
        )),
    }
}

fn macs(specs: &[Spec]) -> u64 {
    2 * specs[0].elements() as u64
}
