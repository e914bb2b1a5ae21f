//! Dropout from its definition, with a Philox of its own in 64-bit arithmetic.

use super::Attributes;
use crate::check::{Array, Expected, Oracle};
use crate::tensor::Spec;
use serde::Deserialize;
use serde_json::Value;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    let roundings = |_: &Value, _: &[Spec]| 2.0;
    match kernel {
        "dropout" => Some(Oracle { compute, roundings, differentiable: &[0], carries: &[0] }),
        "dropout_backward" => Some(Oracle { compute, roundings, differentiable: &[], carries: &[] }),
        _ => None,
    }
}

fn compute(attributes: &Value, inputs: &[Array]) -> Vec<Expected> {
    let attributes = Attributes::deserialize(attributes).expect("attributes of a case");
    let p = f64::from(attributes.probability);
    let (step, first_unit) = (inputs[1].values[0] as u64, inputs[1].values[1] as u64);
    let first = first_unit * (inputs[0].shape[1] * inputs[0].shape[2]) as u64;
    let value = |(index, x): (usize, &f64)| {
        let word = word(&attributes, step, first + index as u64);
        // The word is uniform over 2^32 values: dropped where its fraction lies below p.
        if f64::from(word) < (p * 4_294_967_296.0).floor() { 0.0 } else { x / (1.0 - p) }
    };
    vec![Expected::exact(inputs[0].values.iter().enumerate().map(value).collect())]
}

/// The generator as published: two multiplications, an exchange and a key step in each of ten rounds.
fn word(attributes: &Attributes, step: u64, element: u64) -> u32 {
    let block = element / 4;
    let mask = 0xFFFF_FFFF_u64;
    let mut c = [block & mask, block >> 32, step & mask, u64::from(attributes.stream)];
    let mut k = [attributes.seed & mask, attributes.seed >> 32];
    for _ in 0..10 {
        let (p, q) = (0xD251_1F53 * c[0], 0xCD9E_8D57 * c[2]);
        c = [(q >> 32) ^ c[1] ^ k[0], q & mask, (p >> 32) ^ c[3] ^ k[1], p & mask];
        k = [(k[0] + 0x9E37_79B9) & mask, (k[1] + 0xBB67_AE85) & mask];
    }
    c[(element % 4) as usize] as u32
}
