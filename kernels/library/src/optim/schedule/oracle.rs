//! The schedule by its definition, with f64's own functions.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use super::{Attributes, Kind};
use crate::check::{Array, Expected, Oracle};
use serde::Deserialize;
use serde_json::Value;

pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 2.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let a = Attributes::deserialize(attributes).expect("attributes of a case");
    let t = inputs[0].values[0] + 1.0;
    let (warmup, total, decay) = (a.warmup as f64, a.total as f64, a.decay as f64);
    let height = match a.kind {
        _ if t >= total && t > warmup => 0.0,
        Kind::WarmupCosine => {
            let x = ((t - warmup) / (total - warmup)).clamp(0.0, 1.0);
            (1.0 + (std::f64::consts::PI * x).cos()) / 2.0
        }
        Kind::Wsd => ((total - t) / decay).clamp(0.0, 1.0),
    };
    let lr = if t <= warmup { a.peak * t / warmup } else { a.floor + (a.peak - a.floor) * height };
    let r2 = 1.0 / (1.0 - a.beta2.powf(t)).sqrt();
    let s = lr / (1.0 - a.beta1.powf(t));
    let values = vec![lr, 1.0 - a.beta1, 1.0 - a.beta2, 1.0 - lr * a.weight_decay, r2, s, a.beta1, a.beta2];
    let mut expected = Expected::exact(values);
    // A cosine near −1 is rounded relative to 1.
    expected.magnitudes[0] += a.peak;
    expected.magnitudes[5] += a.peak / (1.0 - a.beta1.powf(t));
    vec![expected]
}
