//! The rotation of pairs in f64, and its transpose.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let roundings = |_: &Value, _: &[Spec]| 2.0;
    match kernel {
        "rope" => Some(Oracle {
            compute: |attributes, inputs| rotate(attributes, inputs, 1.0),
            roundings,
            differentiable: &[0],
            carries: &[0],
        }),
        "rope_backward" => Some(Oracle {
            compute: |attributes, inputs| rotate(attributes, inputs, -1.0),
            roundings,
            differentiable: &[],
            carries: &[],
        }),
        _ => None,
    }
}

fn rotate(attributes: &Value, inputs: &[Array], direction: f64) -> Vec<Expected> {
    let Attributes { query_heads, kv_heads, head_width } =
        Attributes::deserialize(attributes).expect("attributes of a case");
    let (half, count) = (head_width / 2, inputs[2].shape[1]);
    let mut result = Expected::exact(inputs[0].values.clone());
    for (row, position) in inputs[1].values.iter().enumerate() {
        for head in 0..query_heads + kv_heads {
            for index in 0..half {
                let first = (row * (query_heads + 2 * kv_heads) + head) * head_width + index;
                let angle = *position as usize * half + index;
                let (cos, sin) = (inputs[2].values[angle], direction * inputs[2].values[count * half + angle]);
                let (x0, x1) = (inputs[0].values[first], inputs[0].values[first + half]);
                result.values[first] = x0 * cos - x1 * sin;
                result.values[first + half] = x0 * sin + x1 * cos;
                result.magnitudes[first] = (x0 * cos).abs() + (x1 * sin).abs();
                result.magnitudes[first + half] = (x0 * sin).abs() + (x1 * cos).abs();
            }
        }
    }
    vec![result]
}
