//! Head and cross-entropy in f64, straight from their definitions.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::ops::cross_entropy::oracle::{gradient, losses};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "head_cross_entropy" => Some(Oracle { compute: forward, roundings, differentiable: &[0, 1], carries: &[0, 1] }),
        "head_cross_entropy_backward" => {
            Some(Oracle { compute: backward, roundings: backward_roundings, differentiable: &[], carries: &[] })
        }
        _ => None,
    }
}

/// A logit's chain over the width, then the sums over columns and positions.
pub(crate) fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    specs[0].shape[2] as f64 + specs[1].shape[0].min(1024) as f64 / 32.0 + specs[0].shape[1] as f64 / 32.0 + 32.0
}

/// Chains over the columns and over the positions too; dlogits may have been rounded to 16 bits.
pub(crate) fn backward_roundings(attributes: &Value, specs: &[Spec]) -> f64 {
    let dlogits = Attributes::deserialize(attributes).expect("attributes of a case").second.output;
    roundings(attributes, specs) + specs[1].shape[0] as f64 + specs[0].shape[1] as f64 + 2.0 * dlogits.half_step()
}

/// Logits of every position, and the largest sum of absolute terms that one of them is made of.
fn logits(x: &Array, w: &Array) -> Vec<(Vec<f64>, f64)> {
    let width = w.shape[1];
    let dot = |a: &[f64], b: &[f64], absolute: bool| {
        let mut sum = 0.0;
        for (a, b) in a.iter().zip(b) {
            sum += if absolute { (a * b).abs() } else { a * b };
        }
        sum
    };
    x.values
        .chunks(width)
        .map(|x| {
            let row = w.values.chunks(width).map(|w| dot(x, w, false)).collect();
            let magnitude = w.values.chunks(width).map(|w| dot(x, w, true)).fold(0.0, f64::max);
            (row, magnitude)
        })
        .collect()
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let [x, w, targets, _] = inputs else { unreachable!("four inputs") };
    let units = x.shape[0];
    let logits = logits(x, w);
    let worst = logits.iter().map(|row| row.1).fold(0.0, f64::max);
    let rows: Vec<_> = logits.into_iter().map(|row| row.0).zip(targets.values.clone()).collect();
    let mut expected = losses(units, &rows);
    // An error of the logits moves lse, loss and z by as much as the loss has rows.
    let positions = x.shape[1] as f64;
    for (index, output) in expected.iter_mut().enumerate() {
        let per_row = [2.0 * worst * positions, 0.0, worst][index];
        for (magnitude, value) in output.magnitudes.iter_mut().zip(&output.values) {
            *magnitude += per_row + if index == 1 { 2.0 * worst * (positions * value.abs()).sqrt() } else { 0.0 };
        }
    }
    expected
}

fn backward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let [x, w, targets, lse, weights] = inputs else { unreachable!("five inputs") };
    let (units, positions, width, columns) = (x.shape[0], x.shape[1], x.shape[2], w.shape[0]);
    let zeros = |n| Expected { values: vec![0.0; n], magnitudes: vec![0.0; n] };
    let (mut dx, mut dw) = (zeros(x.values.len()), zeros(units * columns * width));
    for (at, (row, worst)) in logits(x, w).into_iter().enumerate() {
        let gradients = gradient(&row, targets.values[at], lse.values[at], &weights.values);
        for (column, (value, magnitude)) in gradients.into_iter().enumerate() {
            let magnitude = magnitude * (1.0 + worst);
            for channel in 0..width {
                let (x_at, w_at) = (at * width + channel, column * width + channel);
                let dw_at = at / positions * columns * width + w_at;
                dx.values[x_at] += value * w.values[w_at];
                dx.magnitudes[x_at] += magnitude * w.values[w_at].abs();
                dw.values[dw_at] += value * x.values[x_at];
                dw.magnitudes[dw_at] += magnitude * x.values[x_at].abs();
            }
        }
    }
    vec![dx, dw]
}
