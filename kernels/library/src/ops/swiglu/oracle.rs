//! SwiGLU in f64 and its textbook derivative.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let roundings = |_: &Value, _: &[Spec]| 8.0;
    match kernel {
        "swiglu" => Some(Oracle { compute: forward, roundings, differentiable: &[0], carries: &[0] }),
        "swiglu_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let width = inputs[0].shape[2] / 2;
    let rows = inputs[0].values.chunks(2 * width);
    vec![Expected::exact(rows.flat_map(|row| (0..width).map(|f| row[f] * sigmoid(row[f]) * row[width + f])).collect())]
}

fn backward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let width = inputs[0].shape[2] / 2;
    let mut dgate_up = Expected { values: Vec::new(), magnitudes: Vec::new() };
    for (row, dh) in inputs[0].values.chunks(2 * width).zip(inputs[1].values.chunks(width)) {
        let (gate, up) = row.split_at(width);
        for f in 0..width {
            let s = sigmoid(gate[f]);
            dgate_up.values.push(dh[f] * up[f] * (s + gate[f] * s * (1.0 - s)));
            // 1 − σ carries the error of σ, which the gate multiplies.
            dgate_up.magnitudes.push((dh[f] * up[f]).abs() * s * (1.0 + gate[f].abs()));
        }
        for f in 0..width {
            let d_up = dh[f] * gate[f] * sigmoid(gate[f]);
            dgate_up.values.push(d_up);
            dgate_up.magnitudes.push(d_up.abs());
        }
    }
    vec![dgate_up]
}
