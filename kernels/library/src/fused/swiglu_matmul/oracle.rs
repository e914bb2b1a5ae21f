//! The composition in f64, from the two definitions.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    (kernel == "swiglu_matmul").then_some(Oracle {
        compute: forward,
        roundings,
        differentiable: &[0, 1],
        carries: &[1],
    })
}

/// One rounding for each term of the chain, a few for h, and h in the dtype of gate_up.
pub(crate) fn roundings(_: &Value, specs: &[Spec]) -> f64 {
    specs[1].shape[1] as f64 + 12.0 + specs[0].dtype.half_step()
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (n, width) = (inputs[1].shape[0], inputs[1].shape[1]);
    let mut h = Vec::new();
    let mut y = Expected { values: Vec::new(), magnitudes: Vec::new() };
    for row in inputs[0].values.chunks(2 * width) {
        let (gate, up) = row.split_at(width);
        let activated: Vec<f64> = gate.iter().zip(up).map(|(gate, up)| gate / (1.0 + (-gate).exp()) * up).collect();
        for column in 0..n {
            let (mut sum, mut magnitude) = (0.0, 0.0);
            for (h, w) in activated.iter().zip(&inputs[1].values[column * width..]) {
                sum += h * w;
                magnitude += (h * w).abs();
            }
            y.values.push(sum);
            y.magnitudes.push(magnitude);
        }
        h.extend(activated);
    }
    vec![Expected::exact(h), y]
}
