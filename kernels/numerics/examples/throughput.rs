//! Prints what one core does: matrix product, exponentials, sums, Philox.
//!
//! Run with `cargo run --release -p numerics --example numerics-throughput`. Each figure
//! is the best of several repetitions; nothing here is a verdict.
#![expect(clippy::disallowed_methods, reason = "measures time; no figure is a result of training")]

use numerics::gemm::{Finish, Scratch, Start, Tile, View, gemm_chain};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::{format, math, sum, vectorised};
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
        let x = values.as_slice();
        each("exp_slice", || exp(level, x, &mut out));
        each("exp2_poly5_slice", || exp2(level, x, &mut out));
        each("silu_slice", || silu(level, x, &mut out));
        each("lanes32", || keep(lanes32(level, x)));
        each("lanes32_squares", || keep(squares(level, x)));
        each("blocked", || keep(blocked(level, x)));
        each("tree_slices of 8", || tree(level, &[x; 8], &mut out));
        each("bf16_store", || bf16(level, x, &mut halves));
        each("fp16_store", || fp16(level, x, &mut halves));
        each("max_of", || keep(largest(level, x)));
        each("fill_words", || draw(level, stream, &mut words));
        each("fill_normal", || draw_normal(level, stream, &mut out));
    }
    println!("one call at a time");
    for (name, function) in functions() {
        let x = &values;
        each(name, || x.iter().for_each(|&x| keep(function(x))));
    }
}

vectorised! {
    fn exp<'a>(x: &'a [f32], out: &'a mut [f32]) {
        math::exp_slice(x, out);
    }

    fn exp2<'a>(x: &'a [f32], out: &'a mut [f32]) {
        math::exp2_poly5_slice(x, out);
    }

    fn silu<'a>(x: &'a [f32], out: &'a mut [f32]) {
        math::activation::silu_slice(x, out);
    }

    fn lanes32<'a>(x: &'a [f32]) -> f32 {
        sum::lanes32(x)
    }

    fn squares<'a>(x: &'a [f32]) -> f32 {
        sum::lanes32_squares(x)
    }

    fn blocked<'a>(x: &'a [f32]) -> f32 {
        sum::blocked(x)
    }

    fn tree<'a>(parts: &'a [&'a [f32]], out: &'a mut [f32]) {
        sum::tree_slices(parts, out);
    }

    fn largest<'a>(x: &'a [f32]) -> Option<f32> {
        format::max_of(x)
    }

    fn bf16<'a>(x: &'a [f32], out: &'a mut [u16]) {
        format::bf16_store(x, out);
    }

    fn fp16<'a>(x: &'a [f32], out: &'a mut [u16]) {
        format::fp16_store(x, out);
    }

    fn draw<'a>(stream: Stream, out: &'a mut [u32]) {
        stream.fill_words(0, out);
    }

    fn draw_normal<'a>(stream: Stream, out: &'a mut [f32]) {
        stream.fill_normal(0, out, 1.0);
    }
}

/// Tells the compiler that the value is used.
fn keep<T>(value: T) {
    let _ = black_box(value);
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
