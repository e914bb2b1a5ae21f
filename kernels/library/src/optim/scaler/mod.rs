//! The loss scale, and the count of applied steps, after a step was tried.
//!
//! **Computes.** `nonfinite` u32 [1] → updates `scale` f32 [1], `good` u32 [1] (applied steps since the scale last
//! moved), `applied` u64 [1] (applied steps in all).
//!
//! **Order of operations.** nonfinite ≠ 0: scale = max(scale / 2, min_scale), good = 0. Otherwise applied += 1,
//! good += 1, and when good reaches `growth_interval`: scale = min(scale·2, max_scale), good = 0. Scales are powers of
//! two, so nothing is rounded. A constant scale has min_scale = max_scale.
//!
//! **Variants.** `cpu_reference`: as written. There is nothing to make faster.
//!
//! **Not promised.** A start scale outside its limits moves into them at its first change only.

mod cases;
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
    /// Applied steps in a row after which the scale doubles.
    pub growth_interval: u32,
    /// Powers of two.
    pub max_scale: f32,
    pub min_scale: f32,
}

pub struct Scaler;

const KERNELS: &[Kernel] = &[Kernel {
    name: "scaler",
    contract: "scaler.elementwise.v1",
    inputs: &["nonfinite"],
    outputs: &["scale", "good", "applied"],
    in_place: 3,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }],
    macs: |_| 0,
}];

impl Room for Scaler {
    fn name(&self) -> &'static str {
        "scaler"
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

/// A normal f32 without fraction bits.
fn power_of_two(value: f32) -> bool {
    value.is_normal() && value > 0.0 && value.to_bits() & 0x007F_FFFF == 0
}

fn infer(attributes: &Value, operands: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { growth_interval, max_scale, min_scale } = decode("scaler", attributes)?;
    if growth_interval == 0 {
        return Err(RoomError::new("scaler", "a growth interval of at least 1", "0"));
    }
    if !(power_of_two(min_scale) && power_of_two(max_scale) && min_scale <= max_scale) {
        let found = format!("min {min_scale}, max {max_scale}");
        return Err(RoomError::new("scaler", "powers of two, min_scale ≤ max_scale", found));
    }
    let count = Spec::new(Dtype::U32, &[1]);
    let state = [Spec::f32(&[1]), count.clone(), Spec::new(Dtype::U64, &[1])];
    match operands.split_first() {
        Some((nonfinite, found)) if *nonfinite == count && *found == state => Ok(state.to_vec()),
        _ => Err(RoomError::new(
            "scaler",
            "nonfinite u32 [1]; then scale f32 [1], good u32 [1], applied u64 [1]",
            format!("{operands:?}"),
        )),
    }
}
