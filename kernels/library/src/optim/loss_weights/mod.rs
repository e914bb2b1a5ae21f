//! Weights of the loss, and the loss that is reported.
//!
//! **Computes.** `loss_weights`: `target_count` u64 [1] (counted targets N of the batch), `scale` f32 [1] (loss scale),
//! `position` u64 [2] = [step, first unit] → `weights` f32 [2] = [w, wz], as `cross_entropy` reads them.
//! `loss_weights_report`: `loss_sum` f32 [1], `z_sum` f32 [1], `target_count` u64 [1] → `report` f32 [3] =
//! [total, lm, z].
//!
//! **Order of operations.** In f64 from left to right, then one rounding to f32: w = scale·boost / N;
//! wz = scale·boost·2·z_loss / N. boost is 2^200 at a declared overflow step, which makes w a real infinity, else 1.
//! lm = loss_sum / N and z = z_loss·z_sum / N in f64, one rounding each; total = RN(lm + z) in f32. N = 0 gives +0
//! everywhere. A z_loss of zero gives wz = +0 even at an overflow step.
//!
//! **Variants.** `cpu_reference`: as written. There is nothing to make faster.
//!
//! **Not promised.** N above 2^53 is rounded to f64 first. The first unit is not read: it is there so that the weights
//! depend on where the batch stands in the same way as every other step value.

mod cases;
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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// λz, the coefficient of lse².
    pub z_loss: f32,
    /// Attempted steps whose gradients overflow on purpose.
    pub overflow_steps: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportAttributes {
    /// λz, the coefficient of lse².
    pub z_loss: f32,
}

pub struct LossWeights;

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "loss_weights",
        contract: "loss_weights.elementwise.v1",
        inputs: &["target_count", "scale", "position"],
        outputs: &["weights"],
        in_place: 0,
        infer: infer_weights,
        variants: &[Variant { name: REFERENCE, run: reference::weights }],
        macs: |_| 0,
    },
    Kernel {
        name: "loss_weights_report",
        contract: "loss_weights_report.elementwise.v1",
        inputs: &["loss_sum", "z_sum", "target_count"],
        outputs: &["report"],
        in_place: 0,
        infer: infer_report,
        variants: &[Variant { name: REFERENCE, run: reference::report }],
        macs: |_| 0,
    },
];

impl Room for LossWeights {
    fn name(&self) -> &'static str {
        "loss_weights"
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

fn check_z_loss(kernel: &str, z_loss: f32) -> Result<(), RoomError> {
    if z_loss.is_finite() && z_loss >= 0.0 {
        return Ok(());
    }
    Err(RoomError::new(kernel, "a z_loss that is finite and not negative", z_loss.to_string()))
}

fn infer_weights(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let Attributes { z_loss, .. } = decode("loss_weights", attributes)?;
    check_z_loss("loss_weights", z_loss)?;
    if *inputs != [Spec::new(Dtype::U64, &[1]), Spec::f32(&[1]), Spec::new(Dtype::U64, &[2])] {
        let expected = "target_count u64 [1], scale f32 [1], position u64 [2]";
        return Err(RoomError::new("loss_weights", expected, format!("{inputs:?}")));
    }
    Ok(vec![Spec::f32(&[2])])
}

fn infer_report(attributes: &Value, inputs: &[Spec]) -> Result<Vec<Spec>, RoomError> {
    let ReportAttributes { z_loss } = decode("loss_weights_report", attributes)?;
    check_z_loss("loss_weights_report", z_loss)?;
    if *inputs != [Spec::f32(&[1]), Spec::f32(&[1]), Spec::new(Dtype::U64, &[1])] {
        let expected = "loss_sum f32 [1], z_sum f32 [1], target_count u64 [1]";
        return Err(RoomError::new("loss_weights_report", expected, format!("{inputs:?}")));
    }
    Ok(vec![Spec::f32(&[3])])
}
