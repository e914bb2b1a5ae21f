//! Prints the time of attention and its gradient at the sizes of small recipes.
//!
//! Run with `cargo run --release -p library --example attention_throughput`. Each figure is the best of several
//! repetitions; nothing here is a verdict.
#![expect(clippy::disallowed_methods, reason = "measures time")]

use library::case::Draw;
use library::context::Context;
use library::registry::Registry;
use library::room::Call;
use library::tensor::{Dtype, Spec, Tensor, View, ViewMut};
use numerics::simd::Level;
use serde_json::{Value, json};
use std::time::Instant;

/// Units, query heads, kv heads, head width; a unit is one packed row of 256.
const SHAPES: [[usize; 4]; 4] = [[8, 4, 2, 16], [8, 4, 2, 64], [8, 4, 4, 64], [1, 4, 2, 64]];
const TOKENS: usize = 256;

fn main() {
    let level = Level::detect();
    println!("{level}; milliseconds of forward and backward");
    for threads in [1, 2] {
        let context = Context::new(threads, level);
        for dtype in [Dtype::F32, Dtype::Bf16] {
            for shape in SHAPES {
                let [forward, backward] = attention(&context, dtype, shape);
                println!("{threads} threads {:4} {shape:3?} {forward:7.2} {backward:7.2}", dtype.name());
            }
        }
    }
}

fn attention(context: &Context, dtype: Dtype, [units, query_heads, kv_heads, head_width]: [usize; 4]) -> [f64; 2] {
    let attributes = json!({
        "query_heads": query_heads, "kv_heads": kv_heads, "head_width": head_width, "row_tokens": TOKENS,
    });
    let qkv = Draw::new(1).normal(dtype, &[units, TOKENS, (query_heads + 2 * kv_heads) * head_width], 1.0);
    let document_start = Tensor::zeros(Spec::new(Dtype::I32, &[units, TOKENS]));
    let gradient = Draw::new(2).normal(dtype, &[units, TOKENS, query_heads * head_width], 1.0);
    let (forward, outputs) = time(context, "attention", &attributes, &[&qkv, &document_start]);
    let inputs = [&qkv, &outputs[0], &outputs[1], &gradient, &document_start];
    [forward, time(context, "attention_backward", &attributes, &inputs).0]
}

fn time(context: &Context, kernel: &str, attributes: &Value, inputs: &[&Tensor]) -> (f64, Vec<Tensor>) {
    let kernel = Registry::standard().kernel(kernel).copied().expect("a kernel of the registry");
    let specs: Vec<Spec> = inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let specs = (kernel.infer)(attributes, &specs).expect("operands that fit");
    let mut outputs: Vec<Tensor> = specs.into_iter().map(Tensor::zeros).collect();
    let views: Vec<View<'_>> = inputs.iter().map(|tensor| tensor.view()).collect();
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        let mut views_mut: Vec<ViewMut<'_>> = outputs.iter_mut().map(Tensor::view_mut).collect();
        (kernel.fastest().run)(&mut Call { attributes, inputs: &views, outputs: &mut views_mut, context });
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    (best, outputs)
}
