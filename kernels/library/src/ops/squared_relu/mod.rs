//! Squared ReLU: `y = max(x, 0)²`.
//!
//! **Computes.** Forward: `x` f32, bf16 or fp16 of any shape → `y` alike. Backward: `x`, `dy` alike → `dx` alike.
//!
//! **Order of operations.** `r` is x where x > +0, +0 where x is ±0 or below, and NaN where x is NaN of either sign.
//! `y = RN(r·r)`. Backward: `dx = RN(dy·RN(2·r))`: where x is not above zero this is `dy·(+0)`, a zero with the sign of
//! `dy`, or NaN where `dy` is not finite.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: pieces spread over the pool, tiles that vectorise.
//!
//! **Not promised.** Nothing about Inf and NaN beyond what the formulas give.

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

pub struct SquaredRelu;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "squared_relu",
        contract: "squared_relu.elementwise.v1",
        inputs: &["x"],
        outputs: &["y"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "squared_relu_backward",
        contract: "squared_relu_backward.elementwise.v1",
        inputs: &["x", "dy"],
        outputs: &["dx"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs,
    },
];

impl Room for SquaredRelu {
    fn name(&self) -> &'static str {
        "squared_relu"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let Some(dy) = forward.gradients[0] else {
            return Ok(vec![None]);
        };
        let inputs = [forward.inputs[0], dy];
        let gradients = builder.node("squared_relu_backward", forward.attributes.clone(), &inputs)?;
        Ok(vec![Some(gradients[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("squared_relu", attributes)?;
    match inputs {
        [x] if x.dtype.is_float() => Ok(vec![x.clone()]),
        _ => Err(RoomError::new("squared_relu", "x f32, bf16 or fp16", format!("{inputs:?}"))),
    }
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("squared_relu_backward", attributes)?;
    match inputs {
        [x, dy] if x == dy && x.dtype.is_float() => Ok(vec![x.clone()]),
        _ => Err(RoomError::new("squared_relu_backward", "x and dy alike, f32, bf16 or fp16", format!("{inputs:?}"))),
    }
}

fn macs(specs: &[Spec]) -> u64 {
    specs[0].elements() as u64
}
