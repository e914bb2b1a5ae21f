//! RMSNorm in f64, straight from its definition. The backward kernel's oracle is the textbook formula.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "rmsnorm" => Some(Oracle { compute: forward, roundings, differentiable: &[0, 1], carries: &[0] }),
        "rmsnorm_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

/// The sum of squares dominates: at most one rounding for each element of a lane and block, and a few more.
fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    specs[0].shape[2] as f64 / 32.0 + specs[0].shape[1] as f64 + 24.0
}

fn inverse_rms(row: &[f64], epsilon: f64) -> f64 {
    let mut squares = 0.0;
    for x in row {
        squares += x * x;
    }
    1.0 / (squares / row.len() as f64 + epsilon).sqrt()
}

fn forward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let epsilon = f64::from(Attributes::deserialize(attributes).expect("attributes of a case").epsilon);
    let (x, gamma) = (&inputs[0], &inputs[1].values);
    let (mut y, mut r) = (Vec::new(), Vec::new());
    for row in x.values.chunks(gamma.len()) {
        let scale = inverse_rms(row, epsilon);
        r.push(scale);
        y.extend(row.iter().zip(gamma).map(|(x, gamma)| x * scale * gamma));
    }
    vec![Expected::exact(y), Expected::exact(r)]
}

fn backward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let [x, gamma, r, dy] = inputs else { unreachable!("four inputs") };
    let (units, rows, width) = (x.shape[0], x.shape[1], x.shape[2]);
    let mut dx = Expected { values: Vec::new(), magnitudes: Vec::new() };
    let mut dgamma = Expected { values: vec![0.0; units * width], magnitudes: vec![0.0; units * width] };
    for row in 0..units * rows {
        let (at, r) = (row * width, r.values[row]);
        let (mut c, mut c_magnitude) = (0.0, 0.0);
        for column in 0..width {
            let term = dy.values[at + column] * gamma.values[column] * x.values[at + column];
            c += term;
            c_magnitude += term.abs();
            let slot = row / rows * width + column;
            let term = dy.values[at + column] * x.values[at + column] * r;
            dgamma.values[slot] += term;
            dgamma.magnitudes[slot] += term.abs();
        }
        for column in 0..width {
            let (x, g) = (x.values[at + column], dy.values[at + column] * gamma.values[column]);
            dx.values.push(r * (g - x * r * r * c / width as f64));
            dx.magnitudes.push(r * (g.abs() + x.abs() * r * r * c_magnitude / width as f64));
        }
    }
    vec![dx, dgamma]
}
