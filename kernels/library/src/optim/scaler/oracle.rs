//! The rule of the scaler on f64 numbers, which hold all of these exactly.

use crate::check::{Array, Expected, Oracle};
use serde_json::Value;

pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 0.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, operands: &[Array]) -> Vec<Expected> {
    let number = |key: &str| attributes[key].as_f64().expect("attributes are numbers");
    let [nonfinite, scale, good, applied] = operands else { unreachable!("four operands") };
    let overflow = nonfinite.values[0] > 0.0;
    let streak = if overflow { 0.0 } else { good.values[0] + 1.0 };
    let grown = streak >= number("growth_interval");
    let factor = if overflow {
        0.5
    } else if grown {
        2.0
    } else {
        1.0
    };
    let moved = scale.values[0] * factor;
    let scale = if factor == 1.0 { moved } else { moved.clamp(number("min_scale"), number("max_scale")) };
    let applied = applied.values[0] + if overflow { 0.0 } else { 1.0 };
    [scale, if grown { 0.0 } else { streak }, applied].map(|value| Expected::exact(vec![value])).to_vec()
}
