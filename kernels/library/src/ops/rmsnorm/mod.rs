//! RMSNorm: `y = x · r · γ` with `r = 1 / √(mean(x²) + ε)` over the last axis.
//!
//! **Computes.** Forward: `x_usd` [units, rows, width], `γ` [width] → `y_usd` (dtype of x), `r_us` f32.
//! Backward: `x`, `γ`, `r`, `dy` → `dx` (dtype of x), `dγ_ud` f32, one slice for each unit.
//!
//! **Order of operations.** `s = blocked` sum of squares of the row; `r = rsqrt(RN(RN(s / width) + ε))`, correctly
//! rounded; `y = RN(RN(x·r)·γ)`. Backward: `g = RN(dy·γ)`; `c = blocked` sum of `RN(g·x)`;
//! `k = RN(RN(RN(c / width)·r)·r)`; `dx = RN(r·fma(−x, k, g))`. `dγ` of a unit: rows in partials of 128, in each
//! `acc ← fma(dy, RN(x·r), acc)` from +0 with rows ascending; partials by `tree`.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_threads`: rows and partials spread over the pool,
//! columns side by side.
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
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::Spec;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Rows of one partial of `dγ`.
const PARTIAL_ROWS: usize = 128;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// ε, added to the mean square.
    pub epsilon: f32,
}

pub struct RmsNorm;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "rmsnorm",
        contract: "rmsnorm.blocked.v1",
        inputs: &["x", "gamma"],
        outputs: &["y", "r"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_threads", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "rmsnorm_backward",
        contract: "rmsnorm_backward.blocked.v1",
        inputs: &["x", "gamma", "r", "dy"],
        outputs: &["dx", "dgamma"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_threads", run: cpu::backward },
        ],
        macs,
    },
];

impl Room for RmsNorm {
    fn name(&self) -> &'static str {
        "rmsnorm"
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
        let inputs = [forward.inputs[0], forward.inputs[1], forward.outputs[1], dy];
        let gradients = builder.node("rmsnorm_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0]), Some(gradients[1])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("rmsnorm", attributes)?;
    match inputs {
        [x, gamma] if valid(x, gamma) => Ok(vec![x.clone(), Spec::f32(&x.shape[..2])]),
        _ => Err(RoomError::new("rmsnorm", "x [units, rows, width ≥ 1], gamma [width]", format!("{inputs:?}"))),
    }
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("rmsnorm_backward", attributes)?;
    match inputs {
        [x, gamma, r, dy] if valid(x, gamma) && *r == Spec::f32(&x.shape[..2]) && dy == x => {
            Ok(vec![x.clone(), Spec::f32(&[x.shape[0], x.shape[2]])])
        }
        _ => Err(RoomError::new("rmsnorm_backward", "x and dy alike, gamma [width], r f32", format!("{inputs:?}"))),
    }
}

fn valid(x: &Spec, gamma: &Spec) -> bool {
    x.shape.len() == 3 && x.dtype.is_float() && x.shape[2] > 0 && gamma.dtype.is_float() && gamma.shape == x.shape[2..]
}

fn macs(specs: &[Spec]) -> u64 {
    4 * specs[0].elements() as u64
}
