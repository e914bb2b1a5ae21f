//! Cross-entropy in f64, straight from its definition.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "cross_entropy" => Some(Oracle { compute: forward, roundings, differentiable: &[0], carries: &[0, 1] }),
        "cross_entropy_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

/// The lanes of a block of columns, the tree over blocks, the lanes of a block of positions, and a few more.
fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    let lanes = |n: usize| n.min(1024) as f64 / 32.0 + (n as f64 / 1024.0).sqrt();
    lanes(specs[0].shape[2]) + lanes(specs[0].shape[1]) + 24.0
}

/// log Σ exp of a row, and how large the numbers in it were.
pub(crate) fn logsumexp(row: &[f64]) -> (f64, f64) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for x in row {
        sum += (x - max).exp();
    }
    let lse = max + sum.ln();
    (lse, max.abs() + sum.ln() + 1.0)
}

/// Loss, z and lse of rows that are given one after the other.
pub(crate) fn losses(units: usize, rows: &[(Vec<f64>, f64)]) -> Vec<Expected> {
    let zeros = |n| Expected { values: vec![0.0; n], magnitudes: vec![0.0; n] };
    let (mut loss, mut z, mut lses) = (zeros(units), zeros(units), zeros(rows.len()));
    for (index, (row, target)) in rows.iter().enumerate() {
        if *target == f64::from(u32::MAX) {
            continue;
        }
        let unit = index / (rows.len() / units);
        let (lse, magnitude) = logsumexp(row);
        let logit = row[*target as usize];
        loss.values[unit] += lse - logit;
        loss.magnitudes[unit] += magnitude + logit.abs();
        z.values[unit] += lse * lse;
        z.magnitudes[unit] += 2.0 * magnitude * magnitude;
        lses.values[index] = lse;
        lses.magnitudes[index] = magnitude;
    }
    vec![loss, z, lses]
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let [logits, targets, _] = inputs else { unreachable!("three inputs") };
    let rows: Vec<_> = logits.values.chunks(logits.shape[2]).map(<[f64]>::to_vec).zip(targets.values.clone()).collect();
    losses(logits.shape[0], &rows)
}

/// Gradient of one row and the magnitude of its terms.
pub(crate) fn gradient(row: &[f64], target: f64, lse: f64, weights: &[f64]) -> Vec<(f64, f64)> {
    if target == f64::from(u32::MAX) {
        return vec![(0.0, 0.0); row.len()];
    }
    let (w, wz) = (weights[0], weights[1]);
    row.iter()
        .enumerate()
        .map(|(column, x)| {
            let p = (x - lse).exp();
            let onehot = if column as f64 == target { 1.0 } else { 0.0 };
            let spread = p * (1.0 + x.abs() + lse.abs());
            (w * (p - onehot) + wz * lse * p, w.abs() * (spread + onehot) + (wz * lse).abs() * spread)
        })
        .collect()
}

fn backward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let [logits, targets, lse, weights] = inputs else { unreachable!("four inputs") };
    let (mut values, mut magnitudes) = (Vec::new(), Vec::new());
    for (row, logits) in logits.values.chunks(logits.shape[2]).enumerate() {
        for (value, magnitude) in gradient(logits, targets.values[row], lse.values[row], &weights.values) {
            values.push(value);
            magnitudes.push(magnitude);
        }
    }
    vec![Expected { values, magnitudes }]
}
