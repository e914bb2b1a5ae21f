//! Gradient add: the gradient of a tensor that several consumers read.
//!
//! **Computes.** 2 to 8 contributions alike, f32, bf16 or fp16, of any shape → their sum (same dtype and shape).
//!
//! **Order of operations.** For each element `acc = c_0`, then `acc ← RN(acc + c_i)` in f32 for i = 1, 2, … in the order
//! given (the plan gives forward consumer order); one rounding to the dtype at the end. The sum starts from the first
//! contribution, not from +0, so a sum of −0 alone stays −0.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: pieces spread over the pool, tiles that vectorise.
//!
//! **Not promised.** It has no gradient of its own: no plan differentiates twice.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::Spec;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most contributions of one sum.
pub const MOST: usize = 8;

/// The room has no attributes: `{}`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {}

pub struct GradAdd;

const KERNELS: &[Kernel] = &[Kernel {
    name: "grad_add",
    contract: "grad_add.ascending.v1",
    inputs: &["contribution"],
    outputs: &["sum"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs,
}];

impl Room for GradAdd {
    fn name(&self) -> &'static str {
        "grad_add"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("grad_add", attributes)?;
    match inputs {
        [first, rest @ ..]
            if (1..MOST).contains(&rest.len()) && first.dtype.is_float() && rest.iter().all(|spec| spec == first) =>
        {
            Ok(vec![first.clone()])
        }
        _ => Err(RoomError::new("grad_add", "2 to 8 contributions alike, f32, bf16 or fp16", format!("{inputs:?}"))),
    }
}

fn macs(specs: &[Spec]) -> u64 {
    (specs.len() * specs[0].elements()) as u64
}
