//! Prints what one core does: matrix product, exponentials, sums, Philox.
//!
//! Run with `cargo run --release -p numerics --example throughput`. Each figure
//! is the best of several repetitions; nothing here is a verdict.

use numerics::gemm::{Finish, Scratch, Start, Tile, View, gemm_chain};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::{format, math, sum};
use std::hint::black_box;
use std::time::Instant;

const ELEMENTS: usize = 1 << 14;

fn main() {
    let stream = Stream { seed: 1, step: 0, stream: 0 };
    let mut values = vec![0.0; ELEMENTS];
    stream.fill_normal(0, &mut values, 4.0);
    for level in Level::available() {
        println!("{level}");
        for size in [64, 256, 512, 1024] {
            if level != Level::Scalar || size < 512 {
                products(level, size);
            }
        }
        let mut out = vec![0.0; ELEMENTS];
        let mut words = vec![0; ELEMENTS];
        let mut halves = vec![0; ELEMENTS];
        let x = &values;
        each("exp_slice", || level.run(|| math::exp_slice(x, &mut out)));
        each("exp2_poly5_slice", || level.run(|| math::exp2_poly5_slice(x, &mut out)));
        each("silu_slice", || level.run(|| math::activation::silu_slice(x, &mut out)));
        each("lanes32", || drop(black_box(level.run(|| sum::lanes32(x)))));
        each("lanes32_squares", || drop(black_box(level.run(|| sum::lanes32_squares(x)))));
        each("blocked", || drop(black_box(level.run(|| sum::blocked(x)))));
        each("bf16_store", || level.run(|| format::bf16_store(x, &mut halves)));
        each("fp16_store", || level.run(|| format::fp16_store(x, &mut halves)));
        each("max_of", || drop(black_box(level.run(|| format::max_of(x)))));
        each("fill_words", || level.run(|| stream.fill_words(0, &mut words)));
        each("fill_normal", || level.run(|| stream.fill_normal(0, &mut out, 1.0)));
    }
    println!("one call at a time");
    for (name, function) in functions() {
        let x = &values;
        each(name, || x.iter().for_each(|&x| drop(black_box(function(x)))));
    }
}

type Unary = fn(f32) -> f32;

fn functions() -> [(&'static str, Unary); 9] {
    [
        ("exp", math::exp),
        ("log", |x| math::log(x.abs())),
        ("log1p", |x| math::log1p(x.abs())),
        ("tanh", math::tanh),
        ("sin", math::sin),
        ("cos", math::cos),
        ("rsqrt", |x| math::rsqrt(x.abs())),
        ("erf", math::erf),
        ("pow", |x| math::pow(x.abs(), 1.3)),
    ]
}

fn best(repetitions: u32, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn each(name: &str, work: impl FnMut()) {
    let seconds = best(50, work);
    println!("  {name:<18} {:>8.3} ns per element", seconds * 1e9 / ELEMENTS as f64);
}

fn products(level: Level, size: usize) {
    let stream = Stream { seed: 2, step: 0, stream: 0 };
    let (mut a, mut b, mut c) = (vec![0.0; size * size], vec![0.0; size * size], vec![0.0; size * size]);
    stream.fill_normal(0, &mut a, 1.0);
    stream.fill_normal(1 << 32, &mut b, 1.0);
    let mut scratch = Scratch::default();
    let a = View::row_major(&a, size, size);
    let b = View::row_major(&b, size, size);
    let repetitions = (1_usize << 31).div_ceil(size.pow(3)).clamp(3, 2000) as u32;
    for (layout, a, b) in
        [("nn", a, b), ("nt", a, b.transpose()), ("tn", a.transpose(), b), ("tt", a.transpose(), b.transpose())]
    {
        let seconds = best(repetitions.min(if level == Level::Scalar { 3 } else { u32::MAX }), || {
            let mut c = Tile::row_major(&mut c, size, size);
            gemm_chain(level, a, b, &mut c, (Start::Zero, Finish::Closed), &mut scratch);
        });
        println!("  gemm {layout} {size:>5}^3 {:>8.1} GFLOP/s", 2.0 * (size as f64).powi(3) / seconds / 1e9);
    }
}
