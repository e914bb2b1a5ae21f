//! Cast: a float tensor in another storage dtype.
//!
//! **Computes.** `x` f32, bf16 or fp16 of any shape → `y` in the dtype of the attributes, same shape.
//!
//! **Order of operations.** A cast to fewer bits rounds to nearest even, subnormals kept, an overflow is Inf. A cast to
//! f32 and one to the same dtype change no value. A NaN becomes the canonical one in every case.
//!
//! **Gradient.** `dy` cast back to the dtype of `x`, by this kernel.
//!
//! **Variants.** `cpu_reference`: one loop. `cpu_simd`: pieces spread over the pool, tiles that vectorise.
//!
//! **Not promised.** No stochastic rounding, no scales: formats below 16 bits have rooms of their own.

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

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Dtype of the output: `f32`, `bf16` or `fp16`.
    pub dtype: Dtype,
}

pub struct Cast;

const KERNELS: &[Kernel] = &[Kernel {
    name: "cast",
    contract: "cast.elementwise.v1",
    inputs: &["x"],
    outputs: &["y"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs,
}];

impl Room for Cast {
    fn name(&self) -> &'static str {
        "cast"
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
        let dtype = builder.spec(forward.inputs[0]).dtype;
        let gradients = builder.node("cast", json!({ "dtype": dtype }), &[dy])?;
        Ok(vec![Some(gradients[0])])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { dtype } = decode("cast", attributes)?;
    match inputs {
        [x] if x.dtype.is_float() && dtype.is_float() => Ok(vec![Spec::new(dtype, &x.shape)]),
        _ => Err(RoomError::new("cast", "x and dtype f32, bf16 or fp16", format!("{inputs:?} to {}", dtype.name()))),
    }
}

fn macs(specs: &[Spec]) -> u64 {
    specs[0].elements() as u64
}
