//! The f64 products of `matmul`, with room for what steps cut off.

use super::batched::{Attributes, Sides};
use crate::check::{Array, Expected, Oracle};
use crate::ops::matmul::{self, nothing, rows_by_rows, transposed};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    if kernel == "matmul_tc16_batched" {
        return Some(Oracle { compute: batched, roundings: of_batched, differentiable: &[], carries: &[] });
    }
    let plain = matmul::oracle(&kernel.replace("matmul_tc16", "matmul"))?;
    let roundings = if kernel.ends_with("wgrad") { of_rows } else { of_last_axis };
    Some(Oracle { roundings, ..plain })
}

/// A step cuts each of its 17 terms below 2^-25 of the largest, and the sum below 2^-23 of itself: in units of 2^-23,
/// at most 17/4 + 1, rounded up; the largest term may be a quarter of its power of two away. Then the store.
pub(crate) fn roundings_of(terms: usize) -> f64 {
    terms.div_ceil(16) as f64 * 18.0 + 2.0
}

fn of_last_axis(_: &Value, specs: &[Spec]) -> f64 {
    roundings_of(specs[0].shape[2])
}

fn of_rows(_: &Value, specs: &[Spec]) -> f64 {
    roundings_of(specs[0].shape[1])
}

fn sides(attributes: &Value, a: &[usize], b: &[usize]) -> (Attributes, Sides) {
    let attributes = Attributes::deserialize(attributes).expect("attributes of a case");
    (attributes, attributes.sides(a, b).expect("operands of a case fit"))
}

fn of_batched(attributes: &Value, specs: &[Spec]) -> f64 {
    roundings_of(sides(attributes, &specs[0].shape, &specs[1].shape).1.k)
}

fn batched(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (a, b) = (&inputs[0], &inputs[1]);
    let (Attributes { transpose_a, transpose_b, .. }, Sides { batch, m, n, k }) = sides(attributes, &a.shape, &b.shape);
    let mut expected = nothing();
    for matrix in 0..batch {
        let (a, b) = (&a.values[matrix * m * k..][..m * k], &b.values[matrix * k * n..][..k * n]);
        let a = if transpose_a { transposed(a, k, m) } else { a.to_vec() };
        let b = if transpose_b { b.to_vec() } else { transposed(b, k, n) };
        rows_by_rows(&a, &b, k, (m, n), &mut expected);
    }
    vec![expected]
}
