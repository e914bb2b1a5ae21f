//! Sums of units in f64.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "accumulate" => Some(Oracle {
            compute: forward,
            roundings: |_, specs| specs[0].shape[0] as f64,
            differentiable: &[],
            carries: &[],
        }),
        _ => None,
    }
}

/// A leaf is its start value (unless its first unit is in the call) and the units that fall to it.
fn forward(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let per_leaf = Attributes::deserialize(attributes).expect("attributes of a case").units_per_leaf as usize;
    let [unit, position, leaves] = inputs else { unreachable!("two inputs and an output in place") };
    let first = position.values[1] as usize;
    let elements: usize = leaves.shape[1..].iter().product();
    let mut result = Expected { values: Vec::new(), magnitudes: Vec::new() };
    for index in 0..leaves.values.len() {
        let (leaf, element) = (index / elements, index % elements);
        let mine: Vec<usize> = (first..first + unit.shape[0]).filter(|number| number / per_leaf == leaf).collect();
        let continued = !mine.contains(&(leaf * per_leaf));
        let mut terms: Vec<f64> =
            mine.iter().map(|number| unit.values[(number - first) * elements + element]).collect();
        if continued {
            terms.push(leaves.values[index]);
        }
        result.values.push(terms.iter().fold(0.0, |sum, term| sum + term));
        result.magnitudes.push(terms.iter().fold(0.0, |sum, term| sum + term.abs()));
    }
    vec![result]
}
