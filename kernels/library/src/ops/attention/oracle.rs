//! Plain softmax attention in f64, and its textbook gradient. Neither knows blocks, maxima or base 2.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "attention" => Some(Oracle { compute: forward, roundings, differentiable: &[0], carries: &[0] }),
        "attention_backward" => Some(Oracle { compute: backward, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

/// One rounding for each channel of a score and each visible position, and a weight in the dtype of the operands.
fn roundings(attributes: &Value, specs: &[Spec]) -> f64 {
    let attributes = Attributes::deserialize(attributes).expect("attributes of a case");
    let stored = 2.0 * specs[0].dtype.half_step();
    (attributes.head_width + attributes.group() * attributes.row_tokens) as f64 + 32.0 + stored
}

/// A magnitude that makes the bound of the smallest weight at least 2^-126, with ε and 32 roundings.
const SMALLEST: f64 = 1e-32;

/// One query row: visible keys with their weights, and what errors of the scores are relative to.
struct Row {
    keys: Vec<usize>,
    weights: Vec<f64>,
    lse2: f64,
    /// 1 plus the largest sum of absolute terms of an exponent: the condition of a weight.
    condition: f64,
}

struct Unit<'a> {
    attributes: Attributes,
    qkv: &'a [f64],
    document_start: &'a [f64],
}

impl<'a> Unit<'a> {
    fn all(attributes: &Value, qkv: &'a Array, document_start: &'a Array) -> Vec<Self> {
        let attributes = Attributes::deserialize(attributes).expect("attributes of a case");
        let (units, positions) = (qkv.shape[0], qkv.shape[1]);
        (0..units)
            .map(|unit| Self {
                attributes,
                qkv: &qkv.values[unit * positions * qkv.shape[2]..][..positions * qkv.shape[2]],
                document_start: &document_start.values[unit * positions..][..positions],
            })
            .collect()
    }

    fn head(&self, position: usize, head: usize) -> &'a [f64] {
        &self.qkv[position * self.attributes.width() + head * self.attributes.head_width..]
            [..self.attributes.head_width]
    }

    fn k(&self, position: usize, query_head: usize) -> &'a [f64] {
        self.head(position, self.attributes.query_heads + query_head / self.attributes.group())
    }

    fn v(&self, position: usize, query_head: usize) -> &'a [f64] {
        let a = &self.attributes;
        self.head(position, a.query_heads + a.kv_heads + query_head / a.group())
    }

    fn row(&self, i: usize, head: usize) -> Row {
        let row = i / self.attributes.row_tokens;
        let keys: Vec<usize> =
            (0..=i).filter(|j| j / self.attributes.row_tokens == row && self.document_start[i] <= *j as f64).collect();
        let scale = 1.0 / (self.attributes.head_width as f64).sqrt();
        let mut condition: f64 = 1.0;
        let mut scores = Vec::new();
        for j in &keys {
            let (score, magnitude) = dot(self.head(i, head), self.k(*j, head));
            scores.push(score * scale);
            condition = condition.max(1.0 + 2.0 * magnitude * scale);
        }
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut denominator = 0.0;
        for score in &mut scores {
            *score = (*score - largest).exp();
            denominator += *score;
        }
        let weights = scores.iter().map(|weight| weight / denominator).collect();
        let lse2 = (largest + denominator.ln()) * std::f64::consts::LOG2_E;
        Row { keys, weights, lse2, condition }
    }
}

/// Sum of products and of their absolute values.
fn dot(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
        magnitude += (a * b).abs();
    }
    (sum, magnitude)
}

fn forward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let units = Unit::all(attributes, &inputs[0], &inputs[1]);
    let Attributes { query_heads, head_width, .. } = Attributes::deserialize(attributes).expect("attributes of a case");
    let positions = inputs[0].shape[1];
    let zeros = |count: usize| Expected { values: vec![0.0; count], magnitudes: vec![0.0; count] };
    let mut o = zeros(units.len() * positions * query_heads * head_width);
    let mut lse2 = zeros(units.len() * positions * query_heads);
    for (index, unit) in units.iter().enumerate() {
        for head in 0..query_heads {
            for i in 0..positions {
                let row = unit.row(i, head);
                let at = (index * query_heads + head) * positions + i;
                lse2.values[at] = row.lse2;
                lse2.magnitudes[at] = row.lse2.abs() + row.condition * 2.0;
                let at = ((index * positions + i) * query_heads + head) * head_width;
                for (j, weight) in row.keys.iter().zip(&row.weights) {
                    for (d, v) in unit.v(*j, head).iter().enumerate() {
                        o.values[at + d] += weight * v;
                        o.magnitudes[at + d] += (weight * row.condition + SMALLEST) * v.abs();
                    }
                }
            }
        }
    }
    vec![o, lse2]
}

fn backward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let units = Unit::all(attributes, &inputs[0], &inputs[4]);
    let a = Attributes::deserialize(attributes).expect("attributes of a case");
    let (positions, width, h) = (inputs[0].shape[1], a.width(), a.head_width);
    let count = inputs[0].values.len();
    let mut dqkv = Expected { values: vec![0.0; count], magnitudes: vec![0.0; count] };
    let scale = 1.0 / (h as f64).sqrt();
    for (index, unit) in units.iter().enumerate() {
        let at = |position: usize, head: usize| (index * positions + position) * width + head * h;
        for head in 0..a.query_heads {
            let kv_head = head / a.group();
            for i in 0..positions {
                let row = unit.row(i, head);
                let gradient = &inputs[3].values[((index * positions + i) * a.query_heads + head) * h..][..h];
                let products: Vec<(f64, f64)> = row.keys.iter().map(|j| dot(gradient, unit.v(*j, head))).collect();
                let (mut delta, mut delta_magnitude) = (0.0, 0.0);
                for (weight, (product, magnitude)) in row.weights.iter().zip(&products) {
                    delta += weight * product;
                    delta_magnitude += weight * magnitude;
                }
                for ((j, weight), (product, magnitude)) in row.keys.iter().zip(&row.weights).zip(&products) {
                    let ds = weight * (product - delta) * scale;
                    // The error of a weight: relative to it, and 2^-126 where `exp2.poly5.v1` ends.
                    let weight_magnitude = weight * row.condition + SMALLEST;
                    let ds_magnitude = weight_magnitude * (magnitude + delta_magnitude) * scale;
                    let mut add = |at: usize, factor: f64, magnitude: f64, from: &[f64]| {
                        for (d, value) in from.iter().enumerate() {
                            dqkv.values[at + d] += factor * value;
                            dqkv.magnitudes[at + d] += magnitude * value.abs();
                        }
                    };
                    add(at(i, head), ds, ds_magnitude, unit.k(*j, head));
                    add(at(*j, a.query_heads + kv_head), ds, ds_magnitude, unit.head(i, head));
                    let value_head = a.query_heads + a.kv_heads + kv_head;
                    add(at(*j, value_head), *weight, weight_magnitude, gradient);
                }
            }
        }
    }
    vec![dqkv]
}
