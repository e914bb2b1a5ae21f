//! The sum and its norm in f64.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "residual_rmsnorm" => {
            Some(Oracle { compute: forward, roundings, differentiable: &[0, 1, 2], carries: &[0, 1] })
        }
        _ => None,
    }
}

/// Those of the norm. The norm reads the rounded sum: half a step of its dtype in the row's elements and in their root
/// mean square, or one rounding of f32 in each.
fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    let edge = (2.0 * specs[0].dtype.half_step()).max(2.0);
    specs[0].shape[2] as f64 / 32.0 + specs[0].shape[1] as f64 + 24.0 + edge
}

fn forward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let epsilon = f64::from(Attributes::deserialize(attributes).expect("attributes of a case").second.epsilon);
    let (x, a, gamma) = (&inputs[0].values, &inputs[1].values, &inputs[2].values);
    let width = gamma.len();
    let (mut sum, mut y, mut r) = (Vec::new(), Vec::new(), Vec::new());
    for (x, a) in x.chunks(width).zip(a.chunks(width)) {
        let row: Vec<f64> = x.iter().zip(a).map(|(x, a)| x + a).collect();
        let mean = row.iter().fold(0.0, |total, value| total + value * value) / width as f64;
        let scale = (mean + epsilon).sqrt().recip();
        y.extend(row.iter().zip(gamma).map(|(value, gamma)| value * scale * gamma));
        sum.extend(row);
        r.push(scale);
    }
    vec![Expected::exact(sum), Expected::exact(y), Expected::exact(r)]
}
