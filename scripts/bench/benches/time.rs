//! Wall time of every workload, for each instruction set of the machine: `cargo xtask bench time [FILTER]`.

use bench::{WORKLOADS, Workload};
use divan::Bencher;
use numerics::simd::Level;
use std::fmt;

/// One workload with one instruction set.
struct Case(&'static Workload, Level);

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.name, self.1.name())
    }
}

fn cases() -> Vec<Case> {
    let levels = Level::available();
    WORKLOADS.iter().flat_map(|workload| levels.iter().map(move |level| Case(workload, *level))).collect()
}

#[divan::bench(args = cases(), max_time = 2)]
fn kernels(bencher: Bencher<'_, '_>, case: &Case) {
    let mut work = case.0.prepare(case.1);
    bencher.bench_local(&mut work);
}

fn main() {
    divan::main();
}
