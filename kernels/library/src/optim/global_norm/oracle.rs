//! Sums of squares and their root in f64.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "global_norm_squares" => Some(Oracle {
            compute: squares,
            roundings: |_, specs| 160.0 + (specs[0].elements() as f64 / 4096.0).sqrt(),
            differentiable: &[],
            carries: &[],
        }),
        "global_norm" => Some(Oracle {
            compute: norm,
            roundings: |_, specs| 8.0 + specs.len() as f64,
            differentiable: &[],
            carries: &[],
        }),
        _ => None,
    }
}

fn squares(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let mut sum = 0.0;
    for g in &inputs[0].values {
        sum += g * g;
    }
    let nonfinite = if inputs[0].values.iter().all(|g| g.is_finite()) { 0.0 } else { 1.0 };
    vec![Expected::exact(vec![sum]), Expected::exact(vec![nonfinite])]
}

/// Cases that are compared have a finite norm.
fn norm(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let tensors = inputs.len() / 2;
    let (mut sum, mut nonfinite) = (0.0, 0.0);
    for tensor in 0..tensors {
        sum += inputs[tensor].values[0];
        nonfinite = f64::max(nonfinite, inputs[tensors + tensor].values[0].min(1.0));
    }
    let norm = sum.sqrt() / inputs[2 * tensors].values[0];
    vec![Expected::exact(vec![norm]), Expected::exact(vec![nonfinite])]
}
