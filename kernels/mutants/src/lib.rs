//! Kernels that are wrong on purpose. They are added to a registry and run only where a plan or a part names them.
//!
//! Every mutant counts each call in which it did what it must not do, so that a gate can tell a fault that was not
//! noticed from one that never happened. Nothing here may be part of `lockstep`: [`MARKER`] is in every binary that
//! has a mutant.
#![forbid(unsafe_code)]

pub mod flip;
mod order;
mod schedule;
mod wrong;

#[cfg(test)]
mod tests;

use library::registry::Registry;
use library::room::Variant;
use std::sync::atomic::{AtomicU64, Ordering};

/// Marks a binary with planted faults. Printed at the start of each of its runs that has one.
pub const MARKER: &str = "lockstep-planted-fault";

static ACTIVATIONS: AtomicU64 = AtomicU64::new(0);

/// Begins the line that a process writes to its standard error when its fault is active for the first time. A run that
/// is killed leaves no counter, but it leaves this line.
pub const ACTIVE: &str = "lockstep-planted-fault is active";

/// Counts `times` activations of the fault of this process.
pub fn activated(times: u64) {
    if times > 0 && ACTIVATIONS.fetch_add(times, Ordering::Relaxed) == 0 {
        eprintln!("{ACTIVE}");
    }
}

/// How often the fault of this process was active.
#[must_use]
pub fn activations() -> u64 {
    ACTIVATIONS.load(Ordering::Relaxed)
}

/// Every mutant variant with the kernel that it belongs to.
pub const VARIANTS: &[(&str, Variant)] = &[
    ("embedding_backward", Variant { name: "completion_order", run: order::embedding_backward }),
    ("cross_entropy", Variant { name: "completion_order", run: order::cross_entropy }),
    ("global_norm_squares", Variant { name: "partials_per_thread", run: schedule::squares_per_thread }),
    ("matmul", Variant { name: "blocks_per_batch", run: schedule::matmul_blocks_per_batch }),
    ("matmul", Variant { name: "timed_algorithm", run: schedule::matmul_timed_algorithm }),
    ("init", Variant { name: "seeded_by_workers", run: schedule::init_seeded_by_workers }),
    ("rmsnorm", Variant { name: "timed_blocks", run: schedule::rmsnorm_timed_blocks }),
    ("rmsnorm", Variant { name: "reads_scratch", run: schedule::rmsnorm_reads_scratch }),
    ("accumulate", Variant { name: "adds_twice", run: wrong::accumulate_twice }),
    ("adamw", Variant { name: "first_group", run: wrong::adamw_first_group }),
    ("adamw", Variant { name: "ignores_skip", run: wrong::adamw_ignores_skip }),
    ("dropout_backward", Variant { name: "without_mask", run: wrong::dropout_backward_without_mask }),
    ("ema", Variant { name: "ignores_skip", run: wrong::ema_ignores_skip }),
    ("rmsnorm", Variant { name: "epsilon_plus_one_ulp", run: wrong::rmsnorm_epsilon_plus_one_ulp }),
    ("rope", Variant { name: "next_position", run: wrong::rope_next_position }),
    ("rope", Variant { name: "table_in_bf16", run: wrong::rope_table_in_bf16 }),
];

/// Adds the flip and every mutant to a registry.
#[must_use]
pub fn register(registry: Registry) -> Registry {
    let with_flip = registry.with_room(&flip::FlipLowestBit);
    VARIANTS.iter().fold(with_flip, |registry, (kernel, variant)| registry.with_variant(kernel, *variant))
}
