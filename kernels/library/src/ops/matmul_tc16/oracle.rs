//! The f64 products of `matmul`, with room for what steps cut off.

use crate::check::Oracle;
use crate::ops::matmul;
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let plain = matmul::oracle(&kernel.replace("matmul_tc16", "matmul"))?;
    let roundings = if kernel.ends_with("wgrad") { of_rows } else { of_last_axis };
    Some(Oracle { roundings, ..plain })
}

/// A step cuts each of its 17 terms below 2^-25 of the largest, and the sum below 2^-23 of itself: in units of 2^-23,
/// at most 17/4 + 1, rounded up; the largest term may be a quarter of its power of two away. Then the store.
fn of(terms: usize) -> f64 {
    terms.div_ceil(16) as f64 * 18.0 + 2.0
}

fn of_last_axis(_: &Value, specs: &[Spec]) -> f64 {
    of(specs[0].shape[2])
}

fn of_rows(_: &Value, specs: &[Spec]) -> f64 {
    of(specs[0].shape[1])
}
