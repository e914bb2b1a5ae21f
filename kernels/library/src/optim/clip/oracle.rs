//! The coefficient in f64.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 6.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let max_norm = f64::from(attributes["max_norm"].as_f64().expect("max_norm is a number") as f32);
    let (norm, scale) = (inputs[0].values[0], inputs[1].values[0]);
    let limit = (max_norm / (norm + 1e-6)).min(1.0);
    vec![Expected::exact(vec![limit / scale])]
}
