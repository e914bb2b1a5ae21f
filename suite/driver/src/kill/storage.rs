//! Makes the operations of a save fail, one at a time: the run must say so and stop, and nothing may be lost.

use super::points::save_every_step;
use super::walk::segment_spec;
use crate::nonce;
use crate::process::Ending;
use crate::runner::{RunError, RunOutput, RunSpec, Runner};
use contract::control::Point;
use contract::request::{StorageErrorKind, StorageFailure};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which of the operations and errors are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    All,
    /// This many, chosen by the seed.
    Seeded {
        seed: u64,
        count: usize,
    },
}

/// One injected error and the resume after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageTrial {
    pub failure: StorageFailure,
    /// The operation that failed, as the listing named it.
    pub operation: String,
    /// The run with the error.
    pub failed: Option<RunOutput>,
    /// The run after it, from the same checkpoint folder: must equal the run that never failed.
    pub resumed: Option<RunOutput>,
    /// What is wrong even before bits are compared.
    pub problem: Option<String>,
}

const KINDS: [StorageErrorKind; 4] =
    [StorageErrorKind::Enospc, StorageErrorKind::Eio, StorageErrorKind::Erofs, StorageErrorKind::ShortWrite];

/// Tries the errors of the second save (the first when there is no second) of a run that saves after every step.
/// `listing` is that run with a socket. The exit code of a failed run is in [`StorageTrial::failed`]; whether it is
/// the documented one is for the caller to say.
#[must_use]
pub fn storage_errors(
    runner: &Runner,
    base: &RunSpec,
    listing: &RunOutput,
    selection: Selection,
    directory: &Path,
) -> Vec<StorageTrial> {
    let candidates = candidates(listing);
    let chosen = match selection {
        Selection::All => (0..candidates.len()).collect(),
        Selection::Seeded { seed, count } => nonce::choose(seed, candidates.len(), count),
    };
    let attempt = |index: usize| {
        let (failure, operation) = &candidates[index];
        try_one(runner, base, *failure, operation, &directory.join(format!("error-{index:04}")))
    };
    chosen.into_iter().map(attempt).collect()
}

/// Half a write is only possible where something is written.
fn candidates(listing: &RunOutput) -> Vec<(StorageFailure, String)> {
    let operations: Vec<_> = listing.points().filter(|point| matches!(point, Point::Storage { .. })).collect();
    let save = |point: &Point| if let Point::Storage { save, .. } = point { Some(*save) } else { None };
    let mut saves: Vec<_> = operations.iter().filter_map(|point| save(point)).collect();
    saves.dedup();
    let wanted = saves.get(1).or_else(|| saves.first()).copied();
    let mut candidates = Vec::new();
    for (ordinal, point) in (0..).zip(&operations) {
        if let Point::Storage { save, operation, .. } = point
            && Some(*save) == wanted
        {
            let writes = operation.contains("write");
            let kinds = KINDS.iter().filter(|kind| writes || **kind != StorageErrorKind::ShortWrite);
            candidates.extend(kinds.map(|error| (StorageFailure { ordinal, error: *error }, point.name())));
        }
    }
    candidates
}

fn try_one(
    runner: &Runner,
    base: &RunSpec,
    failure: StorageFailure,
    operation: &str,
    directory: &Path,
) -> StorageTrial {
    let mut spec = segment_spec(base, directory, 0, 0);
    spec.set.extend(save_every_step(false));
    spec.storage.fail = Some(failure);
    let mut trial =
        StorageTrial { failure, operation: operation.to_owned(), failed: None, resumed: None, problem: None };
    match runner.attempt(&spec, crate::control::Conduct::LetRun) {
        Ok(run) => {
            trial.problem = not_refused(&run);
            trial.failed = Some(run);
        }
        Err(error) => trial.problem = Some(error.to_string()),
    }
    let mut spec = segment_spec(base, directory, 1, 0);
    spec.set.extend(save_every_step(false));
    match runner.run(&spec) {
        Ok(run) => trial.resumed = Some(run),
        Err(error) => trial.problem = Some(resume_failed(trial.problem, &error)),
    }
    trial
}

/// What is wrong with the end of a run whose storage failed.
pub(super) fn not_refused(run: &RunOutput) -> Option<String> {
    match run.ending {
        Ending::Code(0) => Some("the error was swallowed: the run ended with exit code 0".to_owned()),
        Ending::Signal(signal) => Some(format!("the run died by signal {signal} instead of ending with an exit code")),
        Ending::Code(_) if run.message.is_empty() => Some("the run ended without a message".to_owned()),
        Ending::Code(_) => None,
    }
}

pub(super) fn resume_failed(before: Option<String>, error: &RunError) -> String {
    let message = format!("the run could not be resumed: {error}");
    before.map_or_else(|| message.clone(), |before| format!("{before}; {message}"))
}
