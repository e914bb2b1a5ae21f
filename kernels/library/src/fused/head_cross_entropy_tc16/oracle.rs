//! The f64 computation of `head_cross_entropy`, with room for what steps cut off and for dlogits in 16 bits.
//!
//! Gradients of the forward kernel read rounded dlogits, so its bound has room for them too. That its losses are not off
//! by so much follows from their bits, which are those of the composition of two rooms with narrow bounds.

use crate::check::Oracle;
use crate::fused::head_cross_entropy::oracle as plain;
use crate::ops::matmul_tc16::roundings_of;
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let oracle = plain::oracle(&kernel.replace("entropy_tc16", "entropy"))?;
    let roundings = if kernel.ends_with("backward") { of_backward } else { of_forward };
    Some(Oracle { roundings, ..oracle })
}

fn of_forward(attributes: &Value, specs: &[Spec]) -> f64 {
    plain::roundings(attributes, specs) + cut(specs) + 2.0 * specs[0].dtype.half_step()
}

fn of_backward(attributes: &Value, specs: &[Spec]) -> f64 {
    plain::backward_roundings(attributes, specs) + cut(specs) + 2.0 * specs[0].dtype.half_step()
}

/// Steps over the width, over the columns and over the positions.
fn cut(specs: &[Spec]) -> f64 {
    roundings_of(specs[0].shape[2]) + roundings_of(specs[1].shape[0]) + roundings_of(specs[0].shape[1])
}
