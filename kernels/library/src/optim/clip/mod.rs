//! The factor by which every gradient is multiplied before it is applied.
//!
//! **Computes.** `norm` f32 [1] of the unscaled gradients, `scale` f32 [1] (the loss scale in them) → `coefficient`
//! f32 [1].
//!
//! **Order of operations.** RN(min(1, RN(c / RN(norm + 1e-6)))·RN(1/scale)) with c = `max_norm`; min by integer key, so
//! a NaN norm counts as no limit.
//!
//! **Variants.** `cpu_reference`: as written. There is nothing to make faster.
//!
//! **Not promised.** Nothing about a norm that is not finite: such a step is skipped by its flag.

mod cases;
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

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// Largest norm that is applied as it is.
    pub max_norm: f32,
}

pub struct Clip;

const KERNELS: &[Kernel] = &[Kernel {
    name: "clip",
    contract: "clip.elementwise.v1",
    inputs: &["norm", "scale"],
    outputs: &["coefficient"],
    in_place: 0,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }],
    macs: |_| 0,
}];

impl Room for Clip {
    fn name(&self) -> &'static str {
        "clip"
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
    let Attributes { max_norm } = decode("clip", attributes)?;
    if !(max_norm.is_finite() && max_norm > 0.0) {
        return Err(RoomError::new("clip", "a max_norm that is finite and positive", max_norm.to_string()));
    }
    if *inputs != [Spec::f32(&[1]), Spec::f32(&[1])] {
        return Err(RoomError::new("clip", "norm f32 [1], scale f32 [1]", format!("{inputs:?}")));
    }
    Ok(vec![Spec::f32(&[1])])
}
