//! Exponential moving average of a parameter, in place, once after each applied step.
//!
//! **Computes.** `p` f32 of any shape, `nonfinite` u32 [1] → updates `e` f32 of the shape of p. When `nonfinite` is not
//! zero, nothing changes.
//!
//! **Order of operations.** Element by element: e = fma(RN(1 − d), RN(p − e), e), with 1 − d in f64.
//!
//! **Variants.** `cpu_reference`: element by element. `cpu_threads`: chunks spread over the pool, a loop that vectorises.
//!
//! **Not promised.** No correction for the start: e begins as a copy of p.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::{Case, Walk};
use crate::check::Oracle;
use crate::room::{Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// d: how much of the average stays.
    pub decay: f64,
}

pub struct Ema;

const KERNELS: &[Kernel] = &[Kernel {
    name: "ema",
    contract: "ema.elementwise.v1",
    inputs: &["p", "nonfinite"],
    outputs: &["e"],
    in_place: 1,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }, Variant { name: "cpu_threads", run: cpu::run }],
    macs: |specs| 2 * specs[0].elements() as u64,
}];

impl Room for Ema {
    fn name(&self) -> &'static str {
        "ema"
    }

    fn kernels(&self) -> &'static [Kernel] {
        KERNELS
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }

    fn oracle(&self, _: &str) -> Option<Oracle> {
        Some(oracle::oracle())
    }

    fn walk(&self) -> Option<Walk> {
        Some(cases::walk())
    }
}

fn infer(attributes: &Value, operands: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { decay } = decode("ema", attributes)?;
    if !(0.0..1.0).contains(&decay) {
        return Err(RoomError::new("ema", "0 ≤ decay < 1", decay.to_string()));
    }
    match operands {
        [p, nonfinite, e] if p.dtype == Dtype::F32 && e == p && *nonfinite == Spec::new(Dtype::U32, &[1]) => {
            Ok(vec![e.clone()])
        }
        _ => Err(RoomError::new("ema", "p f32, nonfinite u32 [1]; then e like p", format!("{operands:?}"))),
    }
}
