//! Accumulate: gradients of units added into the accumulators of their leaves.
//!
//! **Computes.** `unit` f32 [units, …], `position` u64 [2] = (step, first unit); `leaves` f32 [L, …] is updated in
//! place. A leaf is `units_per_leaf` consecutive units of the batch.
//!
//! **Order of operations.** For each element, units ascending: unit u of the call belongs to leaf
//! `(first_unit + u) / units_per_leaf`. Where `first_unit + u` is a multiple of `units_per_leaf`, the leaf's
//! accumulator starts from +0; then `acc ← RN(acc + unit)`. A call that begins inside a leaf continues its accumulator,
//! so the cut of a batch into calls changes no bit. Leaves without units in the call stay as they are. The step is not
//! read.
//!
//! **Variants.** `cpu_reference`: units, then elements. `cpu_threads`: pieces of touched leaves spread over the pool,
//! each with all of its units.
//!
//! **Not promised.** A unit beyond the last leaf is an error of the caller and panics: to leave it out would lose a
//! gradient silently.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Call, Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Consecutive units of one leaf.
    pub units_per_leaf: u64,
}

pub struct Accumulate;

const KERNELS: &[Kernel] = &[Kernel {
    name: "accumulate",
    contract: "accumulate.ascending.v1",
    inputs: &["unit", "position"],
    outputs: &["leaves"],
    in_place: 1,
    infer,
    variants: &[
        Variant { name: REFERENCE, run: reference::forward },
        Variant { name: "cpu_threads", run: cpu::forward },
    ],
    macs: |specs| specs[0].elements() as u64,
}];

impl Room for Accumulate {
    fn name(&self) -> &'static str {
        "accumulate"
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
    let Attributes { units_per_leaf } = decode("accumulate", attributes)?;
    match inputs {
        [unit, position, leaves]
            if units_per_leaf > 0
                && [unit, leaves].iter().all(|spec| spec.dtype == Dtype::F32 && !spec.shape.is_empty())
                && unit.shape[1..] == leaves.shape[1..]
                && *position == Spec::new(Dtype::U64, &[2]) =>
        {
            Ok(vec![leaves.clone()])
        }
        _ => Err(RoomError::new(
            "accumulate",
            "units_per_leaf ≥ 1, unit f32 [units, …], position u64 [2], leaves f32 [leaves, …] of the same rest",
            format!("units_per_leaf {units_per_leaf}, {inputs:?}"),
        )),
    }
}

/// The first unit of the call, after a check that every unit has a leaf.
///
/// # Panics
/// When a unit lies beyond the last leaf.
fn first_unit(call: &Call<'_, '_>, units_per_leaf: u64) -> u64 {
    let first = call.inputs[1].typed::<u64>()[1];
    let (units, leaves) = (call.inputs[0].shape()[0] as u64, call.outputs[0].spec.shape[0] as u64);
    let end = first.checked_add(units).expect("unit numbers are far below 2^64");
    assert!(
        end.div_ceil(units_per_leaf) <= leaves,
        "accumulate: expected units below {leaves} leaves of {units_per_leaf}; found units {first} to {end}; start the \
         position of each batch at its first unit"
    );
    first
}
