//! Leaf reduce: the gradient of a batch from the accumulators of its leaves.
//!
//! **Computes.** `leaves` f32 [L, …] → `sum` f32 […]. L is a power of two.
//!
//! **Order of operations.** Under the wire contract `bf16_leaf` each leaf is rounded to bf16 first, at every world size
//! including one; under `fp32_leaf` it is not. Then `tree` over the leaves in f32: leaves (0, 1), (2, 3), …, level by
//! level. One leaf is its own sum.
//!
//! **Variants.** `cpu_reference`: one tree for each element. `cpu_simd`: pieces spread over the pool, trees side by side.
//!
//! **Not promised.** Nothing is divided by the number of leaves or tokens: the loss is weighted before.

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

/// What happens to a leaf before it is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Nothing.
    Fp32Leaf,
    /// One rounding to bf16.
    Bf16Leaf,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// `fp32_leaf` or `bf16_leaf`.
    pub wire: Wire,
}

pub struct LeafReduce;

const KERNELS: &[Kernel] = &[Kernel {
    name: "leaf_reduce",
    contract: "leaf_reduce.tree.v1",
    inputs: &["leaves"],
    outputs: &["sum"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::forward }, Variant { name: "cpu_simd", run: cpu::forward }],
    macs: |specs| specs[0].elements() as u64,
}];

impl Room for LeafReduce {
    fn name(&self) -> &'static str {
        "leaf_reduce"
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
    decode::<Attributes>("leaf_reduce", attributes)?;
    match inputs {
        [leaves] if leaves.dtype == Dtype::F32 && leaves.shape.first().is_some_and(|count| count.is_power_of_two()) => {
            Ok(vec![Spec::f32(&leaves.shape[1..])])
        }
        _ => Err(RoomError::new("leaf_reduce", "leaves f32 [a power of two, …]", format!("{inputs:?}"))),
    }
}
