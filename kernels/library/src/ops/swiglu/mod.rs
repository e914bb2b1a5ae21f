//! SwiGLU: `h = silu(gate) · up`.
//!
//! **Computes.** Forward: `gate_up` [units, positions, 2·F] f32, bf16 or fp16, the first F columns the gate, then the up
//! projection → `h_usf` (same dtype). Backward: `gate_up`, `dh_usf` → `dgate_up` alike gate_up.
//!
//! **Order of operations.** With `σ = RN(1 / RN(1 + exp(−g)))` (exp correctly rounded): `silu = RN(g·σ)`,
//! `h = RN(silu·u)`. Backward: `d_up = RN(dh·silu)`; `silu' = RN(σ·RN(1 + RN(g·RN(1 − σ))))`;
//! `d_gate = RN(RN(dh·u)·silu')`.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: rows spread over the pool, tiles with a vectorised exponential;
//! backward computes σ once.
//!
//! **Not promised.** A gate of −Inf gives NaN (−Inf·0), and so does the gradient at ±Inf.

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

pub struct Swiglu;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "swiglu",
        contract: "swiglu.elementwise.v1",
        inputs: &["gate_up"],
        outputs: &["h"],
        in_place: 0,
        infer: infer_forward,
        variants: &[
            Variant { name: REFERENCE, run: reference::forward },
            Variant { name: "cpu_simd", run: cpu::forward },
        ],
        macs,
    },
    Kernel {
        name: "swiglu_backward",
        contract: "swiglu_backward.elementwise.v1",
        inputs: &["gate_up", "dh"],
        outputs: &["dgate_up"],
        in_place: 0,
        infer: infer_backward,
        variants: &[
            Variant { name: REFERENCE, run: reference::backward },
            Variant { name: "cpu_simd", run: cpu::backward },
        ],
        macs,
    },
];

impl Room for Swiglu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        let Some(dh) = forward.gradients[0] else {
            return Ok(vec![None]);
        };
        let gradients = builder.node("swiglu_backward", forward.attributes.clone(), &[forward.inputs[0], dh])?;
        Ok(vec![Some(gradients[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer_forward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("swiglu", attributes)?;
    match inputs {
        [gate_up] if valid(gate_up) => Ok(vec![half(gate_up)]),
        _ => Err(RoomError::new(
            "swiglu",
            "gate_up [units, positions, an even width ≥ 2] f32, bf16 or fp16",
            format!("{inputs:?}"),
        )),
    }
}

fn infer_backward(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("swiglu_backward", attributes)?;
    match inputs {
        [gate_up, dh] if valid(gate_up) && *dh == half(gate_up) => Ok(vec![gate_up.clone()]),
        _ => Err(RoomError::new(
            "swiglu_backward",
            "gate_up [units, positions, an even width ≥ 2] f32, bf16 or fp16, dh of its dtype and half its width",
            format!("{inputs:?}"),
        )),
    }
}

fn valid(gate_up: &Spec) -> bool {
    let shape = &gate_up.shape;
    gate_up.dtype.is_float() && shape.len() == 3 && shape[2] > 0 && shape[2].is_multiple_of(2)
}

fn half(gate_up: &Spec) -> Spec {
    let shape = &gate_up.shape;
    Spec::new(gate_up.dtype, &[shape[0], shape[1], shape[2] / 2])
}

/// The exponential dominates.
fn macs(specs: &[Spec]) -> u64 {
    8 * specs[0].elements() as u64
}
