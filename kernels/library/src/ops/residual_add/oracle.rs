//! The sum in f64.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "residual_add" => {
            Some(Oracle { compute: forward, roundings: |_, _| 1.0, differentiable: &[0, 1], carries: &[0] })
        }
        _ => None,
    }
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    vec![Expected::exact(inputs[0].values.iter().zip(&inputs[1].values).map(|(x, a)| x + a).collect())]
}
