//! Matrix products in f64, from the definition, with the sum of absolute terms as magnitude.

use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use numerics::simd::Level;
use numerics::vectorised;
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

/// Lanes of a sum. Its order is free: a bound judges it, not bits.
const LANES: usize = 8;

vectorised! {
    /// Appends every row of `a` times every row of `b`, and the sums of absolute terms; rows have `terms` elements.
    fn products<'a>(a: &'a [f64], b: &'a [f64], terms: usize, rows: (usize, usize), expected: &'a mut Expected) {
        for i in 0..rows.0 {
            for j in 0..rows.1 {
                let (mut sums, mut magnitudes) = ([0.0; LANES], [0.0; LANES]);
                let (a, a_tail) = a[i * terms..][..terms].as_chunks::<LANES>();
                let (b, b_tail) = b[j * terms..][..terms].as_chunks::<LANES>();
                for (a, b) in a.iter().zip(b) {
                    for lane in 0..LANES {
                        sums[lane] += a[lane] * b[lane];
                        magnitudes[lane] += (a[lane] * b[lane]).abs();
                    }
                }
                for (lane, (a, b)) in a_tail.iter().zip(b_tail).enumerate() {
                    sums[lane] += a * b;
                    magnitudes[lane] += (a * b).abs();
                }
                expected.values.push(sums.into_iter().fold(0.0, |total, lane| total + lane));
                expected.magnitudes.push(magnitudes.into_iter().fold(0.0, |total, lane| total + lane));
            }
        }
    }
}

/// As [`products`], with the instructions of this machine.
pub(crate) fn rows_by_rows(a: &[f64], b: &[f64], terms: usize, rows: (usize, usize), expected: &mut Expected) {
    products(Level::detect(), a, b, terms, rows, expected);
}

/// The transpose of `rows` by `cols` elements.
pub(crate) fn transposed(values: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    (0..rows * cols).map(|at| values[at % rows * cols + at / rows]).collect()
}

pub(crate) const fn nothing() -> Expected {
    Expected { values: Vec::new(), magnitudes: Vec::new() }
}

fn forward(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (x, w) = (&inputs[0], &inputs[1]);
    let (n, k) = (w.shape[0], w.shape[1]);
    let mut expected = nothing();
    rows_by_rows(&x.values, &w.values, k, (x.shape[0] * x.shape[1], n), &mut expected);
    vec![expected]
}

fn dgrad(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (dy, w) = (&inputs[0], &inputs[1]);
    let (n, k) = (w.shape[0], w.shape[1]);
    let mut expected = nothing();
    rows_by_rows(&dy.values, &transposed(&w.values, n, k), n, (dy.shape[0] * dy.shape[1], k), &mut expected);
    vec![expected]
}

fn wgrad(_: &Value, inputs: &[Array]) -> Vec<Expected> {
    let (dy, x) = (&inputs[0], &inputs[1]);
    let (units, rows, n, k) = (dy.shape[0], dy.shape[1], dy.shape[2], x.shape[2]);
    let mut expected = nothing();
    for unit in 0..units {
        let dy = transposed(&dy.values[unit * rows * n..][..rows * n], rows, n);
        let x = transposed(&x.values[unit * rows * k..][..rows * k], rows, k);
        rows_by_rows(&dy, &x, rows, (n, k), &mut expected);
    }
    vec![expected]
}
