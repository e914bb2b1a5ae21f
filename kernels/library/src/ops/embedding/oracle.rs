//! A lookup, and a scatter-add in f64.

use super::BackwardAttributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "embedding" => Some(Oracle { compute: forward, roundings, differentiable: &[1], carries: &[0] }),
        "embedding_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

/// At most every position of a unit holds the same token.
fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    specs[0].shape[1] as f64
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (table, width) = (&inputs[1].values, inputs[1].shape[1]);
    let rows = inputs[0].values.iter().map(|token| &table[*token as usize * width..][..width]);
    vec![Expected::exact(rows.flatten().copied().collect())]
}

fn backward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let vocabulary = BackwardAttributes::deserialize(attributes).expect("attributes of a case").vocabulary;
    let [units, positions, width] = inputs[1].shape[..] else { unreachable!("dy has three axes") };
    let elements = units * vocabulary * width;
    let mut dtable = Expected { values: vec![0.0; elements], magnitudes: vec![0.0; elements] };
    for (position, token) in inputs[0].values.iter().enumerate() {
        for column in 0..width {
            let slot = (position / positions * vocabulary + *token as usize) * width + column;
            let term = inputs[1].values[position * width + column];
            dtable.values[slot] += term;
            dtable.magnitudes[slot] += term.abs();
        }
    }
    vec![dtable]
}
