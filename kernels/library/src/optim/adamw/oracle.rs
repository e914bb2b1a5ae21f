//! One step of AdamW in f64.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use serde::Deserialize;
use serde_json::Value;

pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 16.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, operands: &[Array]) -> Vec<Expected> {
    let Attributes { epsilon, decay } = Attributes::deserialize(attributes).expect("attributes of a case");
    let [g, coefficient, scalars, nonfinite, p, m, v] = operands else { unreachable!("seven operands") };
    if nonfinite.values[0] != 0.0 {
        return [p, m, v].map(|state| Expected::exact(state.values.clone())).to_vec();
    }
    let [_, c1, c2, keep, r2, s, beta1, beta2] = scalars.values[..] else { unreachable!("eight scalars") };
    let empty = || Expected { values: Vec::new(), magnitudes: Vec::new() };
    let (mut p_new, mut m_new, mut v_new) = (empty(), empty(), empty());
    for element in 0..g.values.len() {
        let g = g.values[element] * coefficient.values[0];
        let first = beta1 * m.values[element] + c1 * g;
        let first_magnitude = (beta1 * m.values[element]).abs() + (c1 * g).abs();
        let second = beta2 * v.values[element] + c2 * g * g;
        let kept = p.values[element] * if decay { keep } else { 1.0 };
        let denominator = second.sqrt() * r2 + f64::from(epsilon);
        p_new.values.push(kept - s * first / denominator);
        p_new.magnitudes.push(kept.abs() + s * first_magnitude / denominator);
        m_new.values.push(first);
        m_new.magnitudes.push(first_magnitude);
        v_new.values.push(second);
        v_new.magnitudes.push(second);
    }
    vec![p_new, m_new, v_new]
}
