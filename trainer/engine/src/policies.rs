//! The decisions of the engine that are objects, so that a planted fault replaces an object and adds no branch.

use crate::checkpoint::{ExactState, SafeOrder, SavePolicy, StatePolicy};
use crate::counters::Counters;
use crate::data::{CursorPolicy, ExactCursor};
use contract::execution::Execution;
use library::registry::Registry;
use plan::passes::mutate::Mutations;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// What a binary brings to every run. `lockstep` uses the standard set; only `lockstep-mutant` has others.
#[derive(Clone)]
pub struct Policies {
    pub registry: Registry,
    pub mutations: Mutations,
    pub cursor: Arc<dyn CursorPolicy>,
    pub state: Arc<dyn StatePolicy>,
    pub save: Arc<dyn SavePolicy>,
    pub step: Arc<dyn StepPolicy>,
    /// What the suite in the same binary must set for the trainers that it starts, so that they have these policies.
    pub trainer_environment: BTreeMap<String, String>,
    /// Adds to the counters of a finished run what only the binary knows.
    pub count: fn(&mut Counters),
}

impl Policies {
    #[must_use]
    pub fn standard() -> Self {
        Self {
            registry: Registry::standard(),
            mutations: Mutations::default(),
            cursor: Arc::new(ExactCursor),
            state: Arc::new(ExactState),
            save: Arc::new(SafeOrder),
            step: Arc::new(ExactStep),
            trainer_environment: BTreeMap::new(),
            count: |_| {},
        }
    }
}

/// Small decisions of a step. The defaults are the correct ones.
pub trait StepPolicy: Debug + Send + Sync {
    /// Execution as it is carried out.
    fn execution(&self, asked: Execution) -> Execution {
        asked
    }

    /// The step that random streams are drawn at.
    fn random_step(&self, step: u64, evaluations: u64) -> u64 {
        let _ = evaluations;
        step
    }

    /// The number of targets that the loss is divided by, given those of the step and of the micro-batch.
    fn target_count(&self, step_targets: u64, micro_batch_targets: u64, micro_batches: u64) -> u64 {
        let _ = (micro_batch_targets, micro_batches);
        step_targets
    }
}

/// The correct decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactStep;

impl StepPolicy for ExactStep {}
