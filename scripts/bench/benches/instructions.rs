//! Instructions of every counted workload under valgrind: `cargo xtask bench instructions`.
//!
//! valgrind has no AVX-512, so there are two instruction sets. The name of a run is its place in the list of workloads;
//! the caller gives it back its name.

use bench::{Work, counted_workloads};
use gungraun::prelude::*;
use numerics::simd::Level;

fn places() -> Vec<usize> {
    (0..counted_workloads().count()).collect()
}

fn scalar(place: usize) -> Work {
    prepare(place, Level::Scalar)
}

fn avx2(place: usize) -> Work {
    prepare(place, Level::Avx2)
}

fn prepare(place: usize, level: Level) -> Work {
    counted_workloads().nth(place).expect("places are counted from the list").prepare(level)
}

// Gives the work back, so that freeing it is not counted.
#[library_benchmark]
#[benches::scalar(iter = places(), setup = scalar)]
#[benches::avx2(iter = places(), setup = avx2)]
fn kernel(mut work: Work) -> Work {
    work();
    work
}

library_benchmark_group!(name = kernels, benchmarks = kernel);
main!(library_benchmark_groups = kernels);
