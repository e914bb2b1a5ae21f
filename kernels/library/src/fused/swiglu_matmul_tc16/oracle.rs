//! The f64 composition of `swiglu_matmul`, with room for what steps cut off.

use crate::check::Oracle;
use crate::fused::swiglu_matmul;
use crate::ops::matmul_tc16::roundings_of;
use crate::tensor::Spec;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let plain = swiglu_matmul::oracle::oracle(&kernel.replace("matmul_tc16", "matmul"))?;
    Some(Oracle { roundings, ..plain })
}

fn roundings(attributes: &Value, specs: &[Spec]) -> f64 {
    swiglu_matmul::oracle::roundings(attributes, specs) + roundings_of(specs[1].shape[1])
}
