//! Speed of the `gemm` crate's fp32 product: the peer of `matmul_throughput`.
//!
//! A program of its own, outside the workspace, because the crate's only entry point is unsafe code. The README beside
//! this file says how to run it. Prints GFLOP/s of y = x·wᵀ, on one thread and two; the best of several repetitions.

use gemm::{Parallelism, gemm};
use std::time::Instant;

fn main() {
    println!("gemm crate, fp32, GFLOP/s");
    for threads in [1, 2] {
        let parallelism = if threads == 1 { Parallelism::None } else { Parallelism::Rayon(threads) };
        for size in [64, 256, 512, 1024] {
            println!("{threads} threads {size:5}^3 {:7.1}", gflops(size, parallelism));
        }
    }
}

fn gflops(size: usize, parallelism: Parallelism) -> f64 {
    let x: Vec<f32> = (0..size * size).map(|i| (i % 97) as f32 / 97.0 - 0.5).collect();
    let w: Vec<f32> = (0..size * size).map(|i| (i % 89) as f32 / 89.0 - 0.5).collect();
    let mut y = vec![0.0_f32; size * size];
    let repetitions = ((1_usize << 31) / size.pow(3)).clamp(20, 2000);
    let (n, row) = (size, size as isize);
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        // SAFETY: each matrix has size·size elements; strides are (column, row), and y is not read.
        unsafe {
            gemm(
                n, n, n, y.as_mut_ptr(), 1, row, false, x.as_ptr(), 1, row, w.as_ptr(), row, 1, 0.0, 1.0, false,
                false, false, parallelism,
            );
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let mut expected = 0.0_f32;
    for k in 0..size {
        expected += x[k] * w[k];
    }
    assert!((y[0] - expected).abs() < 1e-3 * size as f32, "y[0] is {}, expected {expected}", y[0]);
    2.0 * (size as f64).powi(3) / best / 1e9
}
