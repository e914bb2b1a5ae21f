//! Prints how many bytes a second one core fingerprints.
//!
//! Run with `cargo run --release -p fingerprint --example fingerprint-throughput`. Each
//! figure is the best of several repetitions; nothing here is a verdict.
#![expect(clippy::disallowed_methods, reason = "measures time")]

use fingerprint::{Fingerprint, reference};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    for log_bytes in [12, 16, 20, 24, 28] {
        let bytes: Vec<u8> =
            (0_u32..1 << (log_bytes - 2)).flat_map(|i| i.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect();
        report("fp61x2", &bytes, Fingerprint::of_bytes);
        report("fp61x2 at byte 3", &bytes, |bytes| Fingerprint::of_shard(3, bytes));
        if log_bytes == 16 {
            report("reference", &bytes, |bytes| reference::of_shard(0, bytes));
        }
    }
}

fn report(name: &str, bytes: &[u8], hash: impl Fn(&[u8]) -> Fingerprint) {
    let repetitions = ((1 << 28) / bytes.len()).clamp(5, 1000);
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        black_box(hash(black_box(bytes)));
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:<18} {:>10} bytes {:>8.3} GB/s", bytes.len(), bytes.len() as f64 / best / 1e9);
}
