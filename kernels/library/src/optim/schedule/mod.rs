//! The step's scalars of the optimizer: learning rate and AdamW's corrections.
//!
//! **Computes.** `applied` u64 [1] (steps applied so far) → `scalars` f32 [8] =
//! [lr, 1−β1, 1−β2, 1−lr·wd, r2, s, β1, β2] with r2 = 1/√(1−β2^t) and s = lr/(1−β1^t), for t = applied + 1: the step
//! that is about to be applied.
//!
//! **Order of operations.** Everything in f64, one rounding to f32 at the end. β^t by t multiplications from 1.
//! lr(t), with t as f64:
//! - t ≤ warmup: peak·t / warmup, so the first step has peak / warmup and the last of the warm-up has the peak.
//! - `warmup_cosine`, t < total: x = (t − warmup) / (total − warmup); c = cos of f32(π·x), correctly rounded to f32 and
//!   widened; lr = floor + (peak − floor)·(0.5·(1 + c)).
//! - `wsd` (warm-up, stable, decay), t ≤ total − decay: the peak; after that, t < total:
//!   floor + (peak − floor)·((total − t) / decay), linear.
//! - t ≥ total: floor.
//!
//! **Variants.** `cpu_reference`: as written. There is nothing to make faster.
//!
//! **Not promised.** `decay` is read by `wsd` only. Counts above 2^53 are rounded to f64.

mod cases;
mod oracle;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use reference::scalars;

use crate::case::Case;
use crate::check::Oracle;
use crate::room::{Kernel, REFERENCE, Room, RoomError, Variant, decode};
use crate::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Linear warm-up, then half a cosine down to the floor.
    WarmupCosine,
    /// Linear warm-up, a stable phase at the peak, then a linear decay to the floor.
    Wsd,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    pub kind: Kind,
    /// Largest and last learning rate.
    pub peak: f64,
    pub floor: f64,
    /// Lengths in applied steps.
    pub warmup: u64,
    pub total: u64,
    #[serde(default)]
    pub decay: u64,
    pub beta1: f64,
    pub beta2: f64,
    pub weight_decay: f64,
}

pub struct Schedule;

const KERNELS: &[Kernel] = &[Kernel {
    name: "schedule",
    contract: "schedule.elementwise.v1",
    inputs: &["applied"],
    outputs: &["scalars"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }],
    macs: |_| 0,
}];

impl Room for Schedule {
    fn name(&self) -> &'static str {
        "schedule"
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
    let attributes: Attributes = decode("schedule", attributes)?;
    if let Some((expected, found)) = fault(&attributes) {
        return Err(RoomError::new("schedule", expected, found));
    }
    if *inputs != [Spec::new(Dtype::U64, &[1])] {
        return Err(RoomError::new("schedule", "applied u64 [1]", format!("{inputs:?}")));
    }
    Ok(vec![Spec::f32(&[8])])
}

/// What is wrong with attributes: expected, found.
fn fault(attributes: &Attributes) -> Option<(&'static str, String)> {
    let Attributes { kind, peak, floor, warmup, total, decay, beta1, beta2, weight_decay } = *attributes;
    let rate = |value: f64| value.is_finite() && value >= 0.0;
    if !(rate(peak) && rate(floor) && floor <= peak) {
        return Some(("0 ≤ floor ≤ peak, finite", format!("floor {floor}, peak {peak}")));
    }
    if !((0.0..1.0).contains(&beta1) && (0.0..1.0).contains(&beta2)) {
        return Some(("0 ≤ β < 1", format!("β1 {beta1}, β2 {beta2}")));
    }
    if !rate(weight_decay) {
        return Some(("a weight decay that is finite and not negative", weight_decay.to_string()));
    }
    if warmup >= total {
        return Some(("warmup < total", format!("warmup {warmup}, total {total}")));
    }
    if kind == Kind::Wsd && (decay == 0 || decay > total - warmup) {
        return Some(("1 ≤ decay ≤ total − warmup", format!("decay {decay} of {}", total - warmup)));
    }
    None
}
