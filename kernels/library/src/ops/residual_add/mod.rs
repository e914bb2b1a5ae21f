//! Residual add: `y = x + a`.
//!
//! **Computes.** `x`, `a` alike, f32, bf16 or fp16, of any shape → `y` (dtype and shape of x).
//!
//! **Order of operations.** `y = RN(x + a)` in f32 for each element, then one rounding to the dtype. A sum of two −0 is
//! −0.
//!
//! **Gradient.** The identity: `dy` is the gradient of both inputs, without a node.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: pieces spread over the pool, tiles that vectorise.
//!
//! **Not promised.** Operands of two dtypes or shapes are refused: nothing is broadcast.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::Spec;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The room has no attributes: `{}`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {}

pub struct ResidualAdd;

const KERNELS: &[Kernel] = &[Kernel {
    name: "residual_add",
    contract: "residual_add.elementwise.v1",
    inputs: &["x", "a"],
    outputs: &["y"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs,
}];

impl Room for ResidualAdd {
    fn name(&self) -> &'static str {
        "residual_add"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, _: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        Ok(vec![forward.gradients[0]; 2])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("residual_add", attributes)?;
    match inputs {
        [x, a] if x == a && x.dtype.is_float() => Ok(vec![x.clone()]),
        _ => Err(RoomError::new("residual_add", "x and a alike, f32, bf16 or fp16", format!("{inputs:?}"))),
    }
}

fn macs(specs: &[Spec]) -> u64 {
    specs[0].elements() as u64
}
