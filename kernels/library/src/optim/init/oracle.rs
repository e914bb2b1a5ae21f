//! Box–Muller in f64 on the words of the stream.
#![expect(clippy::disallowed_methods, reason = "an oracle is independent of numerics and compared within a bound")]

use super::{Attributes, Kind};
use crate::check::{Array, Expected, Oracle};
use numerics::philox::Stream;
use serde::Deserialize;
use serde_json::Value;

/// log, the square root and the product round once each; the rounded angle moves the cosine by up to 2π · ε.
pub fn oracle() -> Oracle {
    Oracle { compute, roundings: |_, _| 12.0, differentiable: &[], carries: &[] }
}

fn compute(attributes: &Value, _: &[Array]) -> Vec<Expected> {
    let Attributes { shape, kind } = Attributes::deserialize(attributes).expect("attributes of a case");
    let mut expected = Expected { values: Vec::new(), magnitudes: Vec::new() };
    for element in 0..shape.iter().product::<usize>() as u64 {
        let (value, magnitude) = match kind {
            Kind::Zeros => (0.0, 0.0),
            Kind::Ones => (1.0, 1.0),
            Kind::Constant { value } => (f64::from(value), f64::from(value.abs())),
            Kind::Normal { seed, stream, std } => {
                let stream = Stream { seed, step: 0, stream };
                let unit = |word: u32| f64::from(word >> 8) / f64::from(1 << 24);
                let u1 = unit(stream.word(2 * element)) + 1.0 / f64::from(1 << 24);
                let u2 = unit(stream.word(2 * element + 1));
                let radius = f64::from(std) * (-2.0 * u1.ln()).sqrt();
                (radius * (std::f64::consts::TAU * u2).cos(), radius)
            }
        };
        expected.values.push(value);
        expected.magnitudes.push(magnitude);
    }
    vec![expected]
}
