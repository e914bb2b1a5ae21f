//! Prints the speed of the three matrix products, allocation of outputs left out.
//!
//! Run with `cargo run --release -p library --example matmul_throughput`. Each figure is the best of several
//! repetitions; nothing here is a verdict.
#![expect(clippy::disallowed_methods, reason = "measures time")]

use library::case::Draw;
use library::context::Context;
use library::registry::Registry;
use library::room::Call;
use library::tensor::{Dtype, Spec, Tensor};
use numerics::simd::Level;
use serde_json::json;
use std::time::Instant;

/// Units, rows of a unit, K, N.
const SHAPES: [[usize; 4]; 6] = [
    [4, 256, 64, 128],
    [4, 256, 64, 4096],
    [4, 256, 256, 1024],
    [1, 256, 64, 4096],
    [1, 512, 512, 512],
    [1, 1024, 1024, 1024],
];

fn main() {
    let level = Level::detect();
    println!("{level}; GFLOP/s of forward, dgrad, wgrad");
    for threads in [1, 2] {
        let context = Context::new(threads, level);
        for dtype in [Dtype::F32, Dtype::Bf16] {
            for shape in SHAPES {
                let figures = products(&context, dtype, shape).map(|figure| format!("{figure:7.1}"));
                println!("{threads} threads {:4} {shape:4?} {}", dtype.name(), figures.join(" "));
            }
        }
    }
}

fn products(context: &Context, dtype: Dtype, [units, rows, k, n]: [usize; 4]) -> [f64; 3] {
    let x = Draw::new(1).normal(dtype, &[units, rows, k], 1.0);
    let w = Draw::new(2).normal(dtype, &[n, k], 1.0);
    let dy = Draw::new(3).normal(dtype, &[units, rows, n], 1.0);
    let output = json!({"output": dtype});
    [("matmul", &output, &x, &w), ("matmul_dgrad", &output, &dy, &w), ("matmul_wgrad", &json!({}), &dy, &x)]
        .map(|(kernel, attributes, a, b)| speed(context, kernel, attributes, [a, b]))
}

fn speed(context: &Context, kernel: &str, attributes: &serde_json::Value, inputs: [&Tensor; 2]) -> f64 {
    let kernel = Registry::standard().kernel(kernel).copied().expect("a kernel of the registry");
    let specs: Vec<Spec> = inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let mut output = Tensor::zeros((kernel.infer)(attributes, &specs).expect("operands that fit")[0].clone());
    let views = inputs.map(Tensor::view);
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        let outputs = &mut [output.view_mut()];
        (kernel.fastest().run)(&mut Call { attributes, inputs: &views, outputs, context });
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * (kernel.macs)(&specs) as f64 / best / 1e9
}
