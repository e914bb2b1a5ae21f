//! The square of the positive part in f64, and its derivative.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let roundings = |_: &Value, _: &[crate::tensor::Spec]| 2.0;
    match kernel {
        "squared_relu" => Some(Oracle { compute: forward, roundings, differentiable: &[0], carries: &[0] }),
        "squared_relu_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    vec![Expected::exact(inputs[0].values.iter().map(|x| if *x > 0.0 { x.powi(2) } else { 0.0 }).collect())]
}

fn backward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let derivative = |x: f64| if x > 0.0 { 2.0 * x } else { 0.0 };
    let terms = inputs[0].values.iter().zip(&inputs[1].values);
    vec![Expected::exact(terms.map(|(x, dy)| dy * derivative(*x)).collect())]
}
