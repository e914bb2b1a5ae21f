//! The cases of `attention` in 16 bits: shapes, documents and scores at which a wrong attention would look right
//! elsewhere.

use crate::case::{Case, Draw};
use crate::context::Context;
use crate::eager::run;
use crate::ops::attention;
use crate::tensor::{Dtype, Tensor};
use numerics::simd::Level;

/// A forward case, besides those of `attention`, with coordinates on which the output does not depend: most tokens are a
/// document of their own. There dP − D is what the steps of dP cut off, and a finite difference is exactly zero.
const FLAT: [&str; 1] = ["late"];

pub fn cases() -> Vec<Case> {
    let forward = attention::cases().into_iter().filter(|case| case.kernel == "attention");
    forward.enumerate().flat_map(|(index, case)| pair(case, index as u64)).collect()
}

/// The forward kernel, and the backward kernel on what the forward reference gives.
fn pair(plain: Case, seed: u64) -> [Case; 2] {
    let [qkv, document_start] = &plain.inputs[..] else { unreachable!("attention has two inputs") };
    let dtype = if qkv.spec.dtype == Dtype::Fp16 { Dtype::Fp16 } else { Dtype::Bf16 };
    let qkv = Tensor::from_f32_as(dtype, &qkv.spec.shape, &qkv.to_f32());
    let operands = vec![qkv.clone(), document_start.clone()];
    let kernel = &super::KERNELS[0];
    let context = Context::new(1, Level::Scalar);
    let outputs = run(kernel, kernel.reference(), &plain.attributes, &operands, 0xA5, &context);
    let outputs = outputs.expect("the operands of a case fit");
    let gradient = Draw::new(3000 + seed).normal(dtype, &outputs[0].spec.shape, 0.7);
    let inputs = vec![qkv, outputs[0].clone(), outputs[1].clone(), gradient, document_start.clone()];
    // A forward case without finite differences still has its backward kernel compared, unless its values are extreme.
    let extreme = ["wild", "not_finite", "sees_nothing", "negative_zero"].contains(&plain.name.as_str());
    let name = format!("{}_backward", plain.name);
    let backward = Case::new(name, "attention_tc16_backward", plain.prevents, plain.attributes.clone(), inputs);
    let backward = if extreme { backward.bits_only() } else { backward };
    let forward = Case { kernel: "attention_tc16", inputs: operands, ..plain };
    [if FLAT.contains(&forward.name.as_str()) { forward.bits_only() } else { forward }, backward]
}
