//! The means in f64.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let compute = match kernel {
        "loss_weights" => weights,
        "loss_weights_report" => report,
        _ => return None,
    };
    Some(Oracle { compute, roundings: |_, _| 2.0, differentiable: &[], carries: &[] })
}

/// The coefficient as the kernel reads it, an f32.
fn z_loss(attributes: &Value) -> f64 {
    f64::from(attributes["z_loss"].as_f64().expect("z_loss is a number") as f32)
}

/// Cases that are compared declare no overflow at their step.
fn weights(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (count, scale) = (inputs[0].values[0], inputs[1].values[0]);
    let share = if count == 0.0 { 0.0 } else { scale / count };
    vec![Expected::exact(vec![share, 2.0 * z_loss(attributes) * share])]
}

fn report(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (loss, z, count) = (inputs[0].values[0], inputs[1].values[0], inputs[2].values[0]);
    let mean = |sum: f64| if count == 0.0 { 0.0 } else { sum / count };
    let (lm, z) = (mean(loss), mean(z_loss(attributes) * z));
    vec![Expected::exact(vec![lm + z, lm, z])]
}
