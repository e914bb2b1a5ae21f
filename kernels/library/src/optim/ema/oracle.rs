//! The average by its definition, d·e + (1 − d)·p, in f64.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 4.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, operands: &[Array]) -> Vec<Expected> {
    let decay = attributes["decay"].as_f64().expect("decay is a number");
    let [p, nonfinite, e] = operands else { unreachable!("three operands") };
    if nonfinite.values[0] != 0.0 {
        return vec![Expected::exact(e.values.clone())];
    }
    let pairs = || p.values.iter().zip(&e.values);
    vec![Expected {
        values: pairs().map(|(p, e)| decay * e + (1.0 - decay) * p).collect(),
        magnitudes: pairs().map(|(p, e)| e.abs() + (1.0 - decay) * (p.abs() + e.abs())).collect(),
    }]
}
