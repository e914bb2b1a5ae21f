//! A product of bf16 matrices as a Hopper tensor core computes it, compared with fp32 chains, and how fast both are.
//!
//! Run with `cargo run --release -p numerics --example tensor-core-throughput`. Each figure is the best of several
//! repetitions on one core; nothing here is a verdict.
#![expect(clippy::disallowed_methods, reason = "measures time; no figure is a result of training")]

use numerics::gemm::{Finish, Start, Tile, View, gemm_chain};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::tensor_core::{self, Format, chain};
use numerics::{format, gemm};
use std::time::Instant;

fn main() {
    let (m, n, k) = (256, 256, 256);
    let operand = |stream| {
        let mut values = vec![0.0; m * k];
        Stream { seed: 1, step: 0, stream }.fill_normal(0, &mut values, 1.0);
        values.iter().map(|x| format::bf16_to_f32(format::bf16_from_f32(*x))).collect::<Vec<f32>>()
    };
    let (a, b) = (operand(1), operand(2));
    let (a, b) = (View::row_major(&a, m, k), View::row_major(&b, n, k).transpose());
    let (mut tensor_core, mut fp32) = (vec![0.0; m * n], vec![0.0; m * n]);
    for level in Level::available() {
        let mut scratch = tensor_core::Scratch::default();
        let modelled = rate(m * n * k, || {
            let mut c = Tile::row_major(&mut tensor_core, m, n);
            chain(level, Format::Bf16, a, b, &mut c, Start::Zero, &mut scratch);
        });
        let mut scratch = gemm::Scratch::default();
        let plain = rate(m * n * k, || {
            let mut c = Tile::row_major(&mut fp32, m, n);
            gemm_chain(level, a, b, &mut c, (Start::Zero, Finish::Closed), &mut scratch);
        });
        println!("{level:7} tensor-core model {modelled:6.2} GMAC/s · fp32 chain {plain:6.2} GMAC/s");
    }
    let differ = tensor_core.iter().zip(&fp32).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    println!("{differ} of {} elements differ from fp32 chains", m * n);
}

/// Multiply-adds in a nanosecond.
fn rate(macs: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    macs as f64 / best / 1e9
}
