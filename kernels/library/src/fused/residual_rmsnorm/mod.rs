//! Residual add and RMSNorm in one pass: `sum = x + a`, `y = rmsnorm(sum)`.
//!
//! **Computes.** `x`, `a` alike [units, rows, width] f32, bf16 or fp16, `γ` [width] → `sum`, `y` (alike x), `r` f32
//! [units, rows]. Attributes are those of `residual_add` as `first` and those of `rmsnorm` as `second`.
//!
//! **Order of operations.** That of the chain: `sum = RN(x + a)`, rounded to its dtype; the norm reads the rounded sum:
//! `r = rsqrt(RN(RN(s / width) + ε))` with s the `blocked` sum of squares, `y = RN(RN(sum·r)·γ)`.
//!
//! **Gradient.** The nodes of the chain: `rmsnorm_backward` of (sum, γ, r, dy), then, where `sum` has a gradient of its
//! own, `grad_add` of [dx of the norm, gradient of sum]. This is forward consumer order: the norm is the first consumer
//! of the sum, everything else comes after it. The result is the gradient of both x and a.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_simd`: rows spread over the pool, each read once.
//!
//! **Not promised.** Nothing about rows that hold Inf or NaN but the canonical NaN. A row without columns is refused.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::ops::{residual_add, rmsnorm};
use crate::room::{Builder, Forward, Fusion, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::Spec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Of the sum.
    pub first: residual_add::Attributes,
    /// Of the norm.
    pub second: rmsnorm::Attributes,
}

pub struct ResidualRmsNorm;

const KERNELS: &[Kernel] = &[Kernel {
    name: "residual_rmsnorm",
    contract: "residual_rmsnorm.blocked.v1",
    inputs: &["x", "a", "gamma"],
    outputs: &["sum", "y", "r"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs: |specs| 5 * specs[0].elements() as u64,
}];

impl Room for ResidualRmsNorm {
    fn name(&self) -> &'static str {
        "residual_rmsnorm"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let [sum, _, r] = forward.outputs else { unreachable!("residual_rmsnorm has three outputs") };
        let dsum = forward.gradients[0];
        let Some(dy) = forward.gradients[1] else {
            return Ok(vec![dsum, dsum, None]);
        };
        let inputs = [*sum, forward.inputs[2], *r, dy];
        let norm = builder.node("rmsnorm_backward", forward.attributes["second"].clone(), &inputs)?;
        let total = match dsum {
            Some(dsum) => builder.node("grad_add", json!({}), &[norm[0], dsum])?[0],
            None => norm[0],
        };
        Ok(vec![Some(total), Some(total), Some(norm[1])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn fusion(&self) -> Option<Fusion> {
        Some(Fusion {
            kernel: "residual_rmsnorm",
            first: "residual_add",
            second: "rmsnorm",
            joint: (0, 0),
            drops_joint: false,
        })
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("residual_rmsnorm", attributes)?;
    match inputs {
        [x, a, gamma]
            if x == a
                && x.dtype.is_float()
                && gamma.dtype.is_float()
                && x.shape.len() == 3
                && x.shape[2] > 0
                && gamma.shape == x.shape[2..] =>
        {
            Ok(vec![x.clone(), x.clone(), Spec::f32(&x.shape[..2])])
        }
        _ => Err(RoomError::new(
            "residual_rmsnorm",
            "floats x and a alike [units, rows, width ≥ 1], gamma [width]",
            format!("{inputs:?}"),
        )),
    }
}
