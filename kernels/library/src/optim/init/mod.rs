//! Start values of a parameter.
//!
//! **Computes.** No inputs → `value` f32 of the attribute `shape`: zeros, ones, one value, or normal values
//! with a standard deviation.
//!
//! **Order of operations.** Element i (row-major) of a normal tensor uses words 2i and 2i + 1 of the Philox stream
//! (seed, step 0, stream): u1 = ((r0 ≫ 8) + 1)·2^-24, u2 = (r1 ≫ 8)·2^-24, z = RN(√RN(−2·log u1)·cos RN(6.2831855·u2)),
//! value = RN(std·z). log and cos are correctly rounded.
//!
//! **Variants.** `cpu_reference`: element by element. `cpu_threads`: words drawn in groups, chunks spread over the pool.
//!
//! **Not promised.** Nothing about truncation: |z| reaches 5.8.

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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    pub shape: Vec<usize>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    Zeros,
    Ones,
    /// The same value everywhere.
    Constant {
        value: f32,
    },
    Normal {
        seed: u64,
        /// Number of the stream in the plan's registry.
        stream: u32,
        /// Standard deviation.
        std: f32,
    },
}

pub struct Init;

const KERNELS: &[Kernel] = &[Kernel {
    name: "init",
    contract: "init.elementwise.v1",
    inputs: &[],
    outputs: &["value"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }, Variant { name: "cpu_threads", run: cpu::run }],
    // The size is an attribute; specs of inputs say nothing about it.
    macs: |_| 0,
}];

impl Room for Init {
    fn name(&self) -> &'static str {
        "init"
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
}

fn infer(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { shape, kind } = decode("init", attributes)?;
    if !inputs.is_empty() {
        return Err(RoomError::new("init", "no inputs", format!("{inputs:?}")));
    }
    match kind {
        Kind::Normal { std, .. } if !(std.is_finite() && std >= 0.0) => {
            Err(RoomError::new("init", "a standard deviation that is finite and not negative", std.to_string()))
        }
        _ => Ok(vec![Spec::f32(&shape)]),
    }
}
