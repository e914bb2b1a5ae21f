//! The norm of all gradients, and whether any of them is not finite.
//!
//! **Computes.** `global_norm_squares`: `g` f32 of any shape → `squares` f32 [1], `nonfinite` u32 [1] (1 when the
//! exponent of any element is all ones). `global_norm`: n times `squares` f32 [1], then n times `nonfinite` u32 [1],
//! then `scale` f32 [1] (the loss scale in the gradients), n ≥ 1 → `norm` f32 [1] of the unscaled gradients,
//! `nonfinite` u32 [1].
//!
//! **Order of operations.** Squares of one tensor: blocks of 4,096 elements in row-major order by `lanes32` of squares,
//! blocks by `tree`. norm = RN(RN(√`tree`(squares in the order given))·RN(1/scale)). `nonfinite` is the OR of all
//! flags, and 1 too when the norm itself is not finite: then the squares have overflowed though no gradient has, and
//! a coefficient made of that norm would be zero.
//!
//! **Variants.** `cpu_reference`: loops as written above. `cpu_threads` of the squares: blocks spread over the pool.
//!
//! **Not promised.** A flag may be any number but zero; the OR is 0 or 1. Squares below 2^-149 are lost.

mod cases;
mod cpu;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Elements of one block of squares.
const BLOCK: usize = 4096;

/// There are none.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {}

pub struct GlobalNorm;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "global_norm_squares",
        contract: "global_norm_squares.lanes32_tree.v1",
        inputs: &["g"],
        outputs: &["squares", "nonfinite"],
        in_place: 0,
        infer: infer_squares,
        variants: &[
            Variant { name: REFERENCE, run: reference::squares },
            Variant { name: "cpu_threads", run: cpu::squares },
        ],
        macs: |specs| specs[0].elements() as u64,
    },
    Kernel {
        name: "global_norm",
        contract: "global_norm.tree.v1",
        // The first two stand for n inputs each.
        inputs: &["squares", "nonfinite", "scale"],
        outputs: &["norm", "nonfinite"],
        in_place: 0,
        infer: infer_norm,
        variants: &[Variant { name: REFERENCE, run: reference::norm }],
        macs: |_| 0,
    },
];

impl Room for GlobalNorm {
    fn name(&self) -> &'static str {
        "global_norm"
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

fn flag() -> Spec {
    Spec::new(Dtype::U32, &[1])
}

fn infer_squares(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("global_norm_squares", attributes)?;
    match inputs {
        [g] if g.dtype == Dtype::F32 => Ok(vec![Spec::f32(&[1]), flag()]),
        _ => Err(RoomError::new("global_norm_squares", "g f32", format!("{inputs:?}"))),
    }
}

fn infer_norm(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    decode::<Attributes>("global_norm", attributes)?;
    let tensors = inputs.len() / 2;
    let valid = tensors > 0
        && inputs.len() % 2 == 1
        && inputs[..tensors].iter().all(|squares| *squares == Spec::f32(&[1]))
        && inputs[tensors..2 * tensors].iter().all(|nonfinite| *nonfinite == flag())
        && inputs[2 * tensors] == Spec::f32(&[1]);
    if valid {
        return Ok(vec![Spec::f32(&[1]), flag()]);
    }
    let expected = "n ≥ 1 squares f32 [1], n nonfinite u32 [1], scale f32 [1]";
    Err(RoomError::new("global_norm", expected, format!("{inputs:?}")))
}
