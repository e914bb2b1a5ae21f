//! Work that is measured: one call of a kernel on one thread, prepared so that only the call is left.
//!
//! Two programs measure the same list: `benches/time.rs` the wall time, `benches/instructions.rs` the instructions.
//! Nothing here is a verdict, and no test of the product builds this crate.
#![forbid(unsafe_code)]

mod products;
mod rooms;
mod state;

use numerics::simd::Level;
use numerics::tensor_core::Format;

/// One call. It may be repeated; each repetition does the same.
pub type Work = Box<dyn FnMut()>;

/// A kernel at one size.
#[derive(Clone, Copy)]
pub struct Workload {
    /// Kernel and size: `matmul 256`.
    pub name: &'static str,
    /// Small enough to be counted under valgrind, which is about fifty times slower.
    pub counted: bool,
    prepare: fn(Level) -> Work,
}

impl Workload {
    /// Operands and outputs for one instruction set.
    #[must_use]
    pub fn prepare(&self, level: Level) -> Work {
        (self.prepare)(level)
    }
}

const fn timed(name: &'static str, prepare: fn(Level) -> Work) -> Workload {
    Workload { name, counted: false, prepare }
}

const fn counted(name: &'static str, prepare: fn(Level) -> Work) -> Workload {
    Workload { name, counted: true, prepare }
}

/// Every workload. `ieee` is the product in fp32 chains, `tc` the model of a Hopper tensor core by operand format.
/// Products are squares; attention, cross-entropy, rmsnorm and swiglu work on one unit of 256 positions.
pub const WORKLOADS: &[Workload] = &[
    counted("matmul ieee 64", |level| rooms::matmul(level, 64)),
    counted("matmul ieee 128", |level| rooms::matmul(level, 128)),
    timed("matmul ieee 256", |level| rooms::matmul(level, 256)),
    timed("matmul ieee 512", |level| rooms::matmul(level, 512)),
    timed("matmul ieee 1024", |level| rooms::matmul(level, 1024)),
    counted("matmul tc bf16 64", |level| products::tensor_core(level, Format::Bf16, 64)),
    counted("matmul tc fp16 64", |level| products::tensor_core(level, Format::Fp16, 64)),
    counted("matmul tc tf32 64", |level| products::tensor_core(level, Format::Tf32, 64)),
    counted("matmul tc e4m3 64", |level| products::tensor_core(level, Format::E4m3, 64)),
    counted("matmul tc e5m2 64", |level| products::tensor_core(level, Format::E5m2, 64)),
    timed("matmul tc bf16 256", |level| products::tensor_core(level, Format::Bf16, 256)),
    counted("attention forward", |level| rooms::attention(level, false)),
    counted("attention backward", |level| rooms::attention(level, true)),
    counted("cross_entropy forward", |level| rooms::cross_entropy(level, false)),
    counted("cross_entropy backward", |level| rooms::cross_entropy(level, true)),
    counted("rmsnorm forward", |level| rooms::rmsnorm(level, false)),
    counted("rmsnorm backward", |level| rooms::rmsnorm(level, true)),
    counted("swiglu forward", |level| rooms::swiglu(level, false)),
    counted("swiglu backward", |level| rooms::swiglu(level, true)),
    counted("adamw 65536", rooms::adamw),
    counted("fp61x2 64 KiB", |_| state::bytes(1 << 16)),
    timed("fp61x2 16 MiB", |_| state::bytes(1 << 24)),
    counted("fp61x2 state of dense-ieee", |_| state::whole()),
];

/// Those that are counted under valgrind.
pub fn counted_workloads() -> impl Iterator<Item = &'static Workload> {
    WORKLOADS.iter().filter(|workload| workload.counted)
}
