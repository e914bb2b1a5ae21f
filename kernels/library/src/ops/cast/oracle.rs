//! The identity: a cast to bf16 may err by half a step of bf16, any other cast by nothing.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "cast" => Some(Oracle { compute: forward, roundings: |_, _| 0.0, differentiable: &[0], carries: &[0] }),
        _ => None,
    }
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    vec![Expected::exact(inputs[0].values.clone())]
}
