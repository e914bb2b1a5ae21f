//! AdamW: one step of one parameter, in place.
//!
//! **Computes.** `g` f32 of any shape (gradient, still multiplied by the loss scale), `coefficient` f32 [1] of `clip`,
//! `scalars` f32 [8] of `schedule` = [lr, 1−β1, 1−β2, 1−lr·wd, r2, s, β1, β2], `nonfinite` u32 [1] → updates `p`, `m`,
//! `v` f32 of the shape of g. When `nonfinite` is not zero, nothing changes.
//!
//! **Order of operations.** Element by element: g = RN(g·coefficient); m = fma(β1, m, RN(g·(1−β1)));
//! v = fma(β2, v, RN(RN(g·g)·(1−β2))); p = RN(p·(1−lr·wd)), where `decay` is set; d = RN(RN(√v·r2) + ε);
//! p = RN(p − RN(s·RN(m/d))).
//!
//! **Variants.** `cpu_reference`: element by element. `cpu_threads`: chunks spread over the pool, loops that vectorise.
//!
//! **Not promised.** A gradient that is not finite makes p, m and v NaN or infinite unless `nonfinite` says so. lr
//! itself is not read: it is in s and in 1−lr·wd.

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
    /// ε, added to the root of the second moment.
    pub epsilon: f32,
    /// Whether the parameter decays.
    pub decay: bool,
}

pub struct AdamW;

const KERNELS: &[Kernel] = &[Kernel {
    name: "adamw",
    contract: "adamw.elementwise.v1",
    inputs: &["g", "coefficient", "scalars", "nonfinite"],
    outputs: &["p", "m", "v"],
    in_place: 3,
    infer,
    variants: &[Variant { name: REFERENCE, run: reference::run }, Variant { name: "cpu_threads", run: cpu::run }],
    macs: |specs| 12 * specs[0].elements() as u64,
}];

impl Room for AdamW {
    fn name(&self) -> &'static str {
        "adamw"
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
    let Attributes { epsilon, .. } = decode("adamw", attributes)?;
    if !(epsilon.is_finite() && epsilon > 0.0) {
        return Err(RoomError::new("adamw", "an epsilon that is finite and positive", epsilon.to_string()));
    }
    match operands {
        [g, coefficient, scalars, nonfinite, p, m, v]
            if g.dtype == Dtype::F32
                && [p, m, v] == [g; 3]
                && *coefficient == Spec::f32(&[1])
                && *scalars == Spec::f32(&[8])
                && *nonfinite == Spec::new(Dtype::U32, &[1]) =>
        {
            Ok(vec![p.clone(), m.clone(), v.clone()])
        }
        _ => Err(RoomError::new(
            "adamw",
            "g, coefficient [1], scalars [8] f32, nonfinite u32 [1]; then p, m, v like g",
            format!("{operands:?}"),
        )),
    }
}
