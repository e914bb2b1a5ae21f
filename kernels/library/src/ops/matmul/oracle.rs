//! Matrix products in f64, from the definition, with the sum of absolute terms as magnitude.

use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    match kernel {
        "matmul" => Some(Oracle { compute: forward, roundings: last_axis, differentiable: &[0, 1], carries: &[0] }),
        "matmul_dgrad" => Some(Oracle { compute: dgrad, roundings: last_axis, differentiable: &[], carries: &[] }),
        "matmul_wgrad" => Some(Oracle { compute: wgrad, roundings: rows, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

/// One rounding for each term of the chain, and the store.
fn last_axis(_: &Value, specs: &[Spec]) -> f64 {
    specs[0].shape[2] as f64 + 2.0
}

fn rows(_: &Value, specs: &[Spec]) -> f64 {
    specs[0].shape[1] as f64 + 2.0
}

/// `terms` products for each of `elements` outputs.
fn sums(elements: usize, terms: usize, product: impl Fn(usize, usize) -> f64) -> Expected {
    let mut expected = Expected { values: vec![0.0; elements], magnitudes: vec![0.0; elements] };
    for element in 0..elements {
        for term in 0..terms {
            let product = product(element, term);
            expected.values[element] += product;
            expected.magnitudes[element] += product.abs();
        }
    }
    expected
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (x, w) = (&inputs[0], &inputs[1]);
    let (n, k) = (w.shape[0], w.shape[1]);
    let elements = x.shape[0] * x.shape[1] * n;
    vec![sums(elements, k, |at, term| x.values[at / n * k + term] * w.values[at % n * k + term])]
}

fn dgrad(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (dy, w) = (&inputs[0], &inputs[1]);
    let (n, k) = (w.shape[0], w.shape[1]);
    let elements = dy.shape[0] * dy.shape[1] * k;
    vec![sums(elements, n, |at, term| dy.values[at / k * n + term] * w.values[term * k + at % k])]
}

fn wgrad(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (dy, x) = (&inputs[0], &inputs[1]);
    let (units, rows, n, k) = (dy.shape[0], dy.shape[1], dy.shape[2], x.shape[2]);
    vec![sums(units * n * k, rows, |at, row| {
        let row = at / (n * k) * rows + row;
        dy.values[row * n + at / k % n] * x.values[row * k + at % k]
    })]
}
