//! Dropout: elements are set to zero at random, the others scaled up.
//!
//! **Computes.** `x_usw` f32, bf16 or fp16 [units, positions, width], `position` u64 [2] = (step, first unit) → `y`
//! alike x. Backward: `dy`, `position` → `dx`: the same computation on `dy`.
//!
//! **Order of operations.** No sums. The element (u, s, c) has the index `i = ((first_unit + u)·S + s)·W + c` modulo
//! 2^64. Its random word is word `i mod 4` of Philox4x32-10 with key `seed` and counter (low and high half of `i / 4`,
//! low 32 bits of step, stream). It is kept iff `word ≥ ⌊p·2^32⌋`, with p widened to f64. Kept: `RN(x·scale)`,
//! `scale = f32(1 / (1 − p))` computed in f64 and rounded once. Dropped: +0, whatever x is. With p = 0 every element is
//! kept and the scale is 1.
//!
//! **State.** The step is the only state: bits are a function of (seed, stream, step, element), so recompute and resume
//! need no saved mask.
//!
//! **Variants.** `cpu_reference`: one Philox block for each element. `cpu_simd`: blocks side by side, each used for four
//! elements.
//!
//! **Not promised.** Streams are not checked for duplicates here.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;
mod walk;

use crate::case::{Case, Walk};
use crate::check::Oracle;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Seed of the run: the Philox key.
    pub seed: u64,
    /// Number of this node's stream in the plan's registry.
    pub stream: u32,
    /// Probability of dropping an element, in [0, 1).
    pub probability: f32,
}

pub struct Dropout;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "dropout",
        contract: "dropout.elementwise.v1",
        inputs: &["x", "position"],
        outputs: &["y"],
        in_place: 0,
        infer: |attributes, inputs| infer("dropout", attributes, inputs),
        variants: &[Variant { name: REFERENCE, run: reference::apply }, Variant { name: "cpu_simd", run: cpu::apply }],
        macs,
    },
    Kernel {
        name: "dropout_backward",
        contract: "dropout_backward.elementwise.v1",
        inputs: &["dy", "position"],
        outputs: &["dx"],
        in_place: 0,
        infer: |attributes, inputs| infer("dropout_backward", attributes, inputs),
        variants: &[Variant { name: REFERENCE, run: reference::apply }, Variant { name: "cpu_simd", run: cpu::apply }],
        macs,
    },
];

impl Room for Dropout {
    fn name(&self) -> &'static str {
        "dropout"
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
        let gradients = builder.node("dropout_backward", forward.attributes.clone(), &[dy, forward.inputs[1]])?;
        Ok(vec![Some(gradients[0]), None])
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        oracle::oracle(kernel)
    }

    fn walk(&self) -> Option<Walk> {
        Some(walk::walk())
    }
}

fn infer(kernel: &str, attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { probability, .. } = decode(kernel, attributes)?;
    if !(0.0..1.0).contains(&probability) {
        return Err(RoomError::new(kernel, "a probability in [0, 1)", format!("{probability:?}")));
    }
    match inputs {
        [x, position] if x.dtype.is_float() && x.shape.len() == 3 && *position == Spec::new(Dtype::U64, &[2]) => {
            Ok(vec![x.clone()])
        }
        _ => Err(RoomError::new(
            kernel,
            "a tensor [units, positions, width] f32, bf16 or fp16, position u64 [2]",
            format!("{inputs:?}"),
        )),
    }
}

/// Ten Philox rounds for four elements dominate.
fn macs(specs: &[Spec]) -> u64 {
    6 * specs[0].elements() as u64
}
