//! Runs without a fault stay green, whatever the seed of their perturbation.

use super::trial::Trials;
use contract::verdict::Verdict;
use rayon::prelude::*;
use serde::Serialize;

/// Runs of the gate.
const RUNS: u64 = 20;

/// Trials of claim `repeat` that the runs go through in turn.
const TRIALS: [&str; 10] = [
    "module::attention_block::repeat",
    "module::mlp_block_swiglu::repeat",
    "module::optimizer_step::repeat",
    "kernel::embedding::repeat",
    "module::data_pipeline::repeat",
    "kernel::cross_entropy::repeat",
    "module::mlp_block_squared_relu::repeat",
    "kernel::rmsnorm::repeat",
    "kernel::global_norm::repeat",
    "end_to_end::repeat",
];

#[derive(Clone, Debug, Serialize)]
pub struct CleanRun {
    pub seed: u64,
    pub trial: String,
    pub verdict: String,
    pub message: String,
    pub passed: bool,
}

pub fn run(trials: &Trials) -> Vec<CleanRun> {
    (0..RUNS).collect::<Vec<u64>>().into_par_iter().with_max_len(1).map(|number| one(trials, number)).collect()
}

fn one(trials: &Trials, number: u64) -> CleanRun {
    let seed = trials.seed + number;
    let trial = TRIALS[number as usize % TRIALS.len()];
    let (verdict, message) = match trials.run(&format!("clean-{number}"), trial, None, seed) {
        Ok(tried) => {
            if tried.outcome.passed() {
                let _kept = std::fs::remove_dir_all(&tried.folder);
            }
            (tried.outcome.verdict, tried.outcome.message)
        }
        Err(message) => (Verdict::Infra, message),
    };
    let passed = verdict == Verdict::Pass;
    eprintln!("clean {trial} seed {seed}: {verdict}");
    CleanRun { seed, trial: trial.to_owned(), verdict: verdict.to_string(), message, passed }
}
