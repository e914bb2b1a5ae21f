//! The `execution` and `observe` sections of a recipe: everything that must not change a bit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run is carried out. No field may change a bit of the result; the claims `neutral`, `backend` and `fused`
/// try each of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Execution {
    pub backend: Backend,
    /// Worker threads of one rank; 1 to 256.
    pub threads: u32,
    /// Widest instruction set that a variant may use.
    pub simd: Simd,
    pub variants: Variants,
    /// Units that one pass through the body takes; must divide the units of a step.
    pub micro_batch_units: u32,
    /// Gradient buckets that the reduction is split into.
    pub buckets: u32,
    /// Replace compositions by the fusions of the library.
    pub fuse: bool,
    pub recompute: Recompute,
    /// Batches that the data thread runs ahead; at least 2.
    pub prefetch_depth: u32,
    /// Threads that build batches.
    pub data_workers: u32,
    pub checkpoint: CheckpointExecution,
    /// Steps between evaluations; 0 turns them off.
    pub eval_every: u32,
    /// Steps between lines of the log.
    pub log_every: u32,
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            backend: Backend::Cpu,
            threads: 2,
            simd: Simd::Auto,
            variants: Variants::Fast,
            micro_batch_units: 1,
            buckets: 2,
            fuse: false,
            recompute: Recompute::None,
            prefetch_depth: 2,
            data_workers: 1,
            checkpoint: CheckpointExecution::default(),
            eval_every: 0,
            log_every: 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    Cpu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Simd {
    /// The widest that this processor has.
    Auto,
    Scalar,
    Avx2,
    Avx512,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variants {
    /// The obvious single-threaded loops that define a contract.
    Reference,
    /// The fastest variant that keeps the contract.
    Fast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recompute {
    /// Keep every activation that the backward pass reads.
    None,
    /// Recompute cheap activations only: norms, activations of the MLP, dropout.
    Selective,
    /// Keep the input of each block and recompute the rest.
    Full,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CheckpointExecution {
    /// Steps between saves; 0 saves only at the end.
    pub every: u32,
    /// Copy the state and write it while training goes on.
    pub asynchronous: bool,
    /// Complete checkpoints that are kept; at least 2.
    pub keep: u32,
}

impl Default for CheckpointExecution {
    fn default() -> Self {
        Self { every: 0, asynchronous: false, keep: 2 }
    }
}

/// What a run records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Observe {
    pub level: ObserveLevel,
    /// First and last step (inclusive) at which `level` holds; at other steps `step` is the highest level.
    pub steps: Option<(u64, u64)>,
}

impl Default for Observe {
    fn default() -> Self {
        Self { level: ObserveLevel::Step, steps: None }
    }
}

impl Observe {
    /// The level that holds at `step`.
    #[must_use]
    pub fn at(&self, step: u64) -> ObserveLevel {
        match self.steps {
            Some((first, last)) if step < first || step > last => self.level.min(ObserveLevel::Step),
            _ => self.level,
        }
    }
}

/// How much a run records, each level containing the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum ObserveLevel {
    /// Scalars of each step: losses, gradient norm, learning rate.
    Loss,
    /// A fingerprint of every leaf of the state after each step.
    Step,
    /// Reduced gradients and the state after each phase.
    Phase,
    /// Tensors that cross the border of a module.
    Module,
    /// Inputs and outputs of every node.
    Op,
    /// As `op`, and the bytes of the tensors, in `elements/`.
    Element,
}
