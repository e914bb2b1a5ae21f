//! Small decisions of a step, decided wrongly.

use contract::execution::{Execution, Recompute};
use engine::policies::StepPolicy;

/// Divides by the micro-batch's own targets: a mean of means.
#[derive(Debug)]
pub struct MeanOfMeans;

impl StepPolicy for MeanOfMeans {
    fn target_count(&self, step_targets: u64, micro_batch_targets: u64, micro_batches: u64) -> u64 {
        let count = micro_batch_targets * micro_batches;
        mutants::activated(u64::from(count != step_targets));
        count
    }
}

/// How far one evaluation moves the stream: far enough that no step of the run is drawn at twice.
const DRAWN: u64 = 1000;

/// Each evaluation moves the random stream of training on.
#[derive(Debug)]
pub struct EvaluationDraws;

impl StepPolicy for EvaluationDraws {
    fn random_step(&self, step: u64, evaluations: u64) -> u64 {
        mutants::activated(u64::from(evaluations > 0));
        step + DRAWN * evaluations
    }
}

/// Reads the switches of execution and goes on as if they were not set.
#[derive(Debug)]
pub struct SwitchesIgnored;

impl StepPolicy for SwitchesIgnored {
    fn execution(&self, asked: Execution) -> Execution {
        mutants::activated(1);
        Execution { recompute: Recompute::None, fuse: false, ..asked }
    }
}
