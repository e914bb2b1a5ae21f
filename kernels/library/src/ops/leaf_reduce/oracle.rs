//! The sum in f64, with a rounding to bf16 of its own.

use super::{Attributes, Wire};
use crate::check::{Array, Expected, Oracle};
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "leaf_reduce" => Some(Oracle {
            compute: forward,
            roundings: |_, specs| f64::from(specs[0].shape[0].ilog2()),
            differentiable: &[],
            carries: &[],
        }),
        _ => None,
    }
}

fn forward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let wire = Attributes::deserialize(attributes).expect("attributes of a case").wire;
    let elements = inputs[0].shape[1..].iter().product();
    let mut sum = Expected { values: vec![0.0; elements], magnitudes: vec![0.0; elements] };
    for (index, value) in inputs[0].values.iter().enumerate() {
        let value = if wire == Wire::Bf16Leaf { to_bf16(*value) } else { *value };
        sum.values[index % elements] += value;
        sum.magnitudes[index % elements] += value.abs();
    }
    vec![sum]
}

/// Eight significant bits, ties to even: the step is 2^-7 of the value's power of two, which is its f64 exponent.
fn to_bf16(value: f64) -> f64 {
    let power = f64::from_bits(value.to_bits() & 0x7FF0_0000_0000_0000);
    let step = power.max(f64::from(f32::MIN_POSITIVE)) / 128.0;
    (value / step).round_ties_even() * step
}
