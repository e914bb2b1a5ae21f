//! Storage that fails: the run must say so and stop, and the next run must be as if it had never failed.

use super::super::trial::{Context, Halt, Judged};
use super::resume::{base, listing};
use crate::catalogue::Extent;
use crate::kill::{FullDiskTrial, Selection, StorageTrial, full_disk, storage_errors as inject};
use crate::runner::RunOutput;
use contract::claim::Claim;
use contract::description::PartDescription;
use contract::request::{Part, StorageErrorKind};
use contract::verdict::Verdict;
use judge::Outcome;
use judge::census::live;
use std::path::Path;

/// Steps of the runs: the second save fails, and a step is left even where that save turns out to be committed.
const STEPS: u64 = 3;
/// Injected errors of one trial, chosen by the seed among all operations of a save and all kinds of error: of the whole,
/// and of a sample.
const ERRORS: (usize, usize) = (16, 3);

pub fn storage_errors(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let outcome = |verdict, message: String| Judged::new(Outcome::new(verdict, Claim::Resume, context.name(), message));
    let mut base = base(context, part);
    base.stop_after = session.stop_after(part, Some(STEPS));
    let steps = base.stop_after.map_or(part.steps, |stop| stop + 1);
    let whole = listing(context, &base, false)?;
    let description = session.description(&context.entry.recipe)?;
    let count = Extent::of(description, part).pick(ERRORS);
    context.progress(format!("{count} storage errors"));
    let selection = Selection::Seeded { seed: session.seed, count };
    let tried = inject(&session.runner, &base, &whole, selection, &context.folder.run("errors"));
    if tried.is_empty() {
        return Ok(outcome(Verdict::Invalid, "no storage operation was announced, so none could fail".to_owned()));
    }
    for trial in &tried {
        if let Some(message) = lost(trial.problem.as_ref(), trial.resumed.as_ref(), &whole.trace(), steps) {
            return Ok(outcome(Verdict::ResumeBreak, format!("{}: {message}", title(trial))));
        }
    }
    let mut judged = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned());
    judged.outcome.counts.items = tried.len() as u64;
    judged.outcome.facts.push(format!("{} injected storage errors were told, and nothing was lost", tried.len()));
    judged.outcome.not_compared.push("storage errors that the seed did not choose".to_owned());
    if part.part != Part::EndToEnd {
        // The size of its saves is not known, and a file system is as full for every part.
        return Ok(judged);
    }
    context.progress("a full file system");
    // Room for one save and not for two.
    let bytes = description.checkpoint_bytes * 3 / 2;
    match full_disk(&session.runner, &base, bytes, &context.folder.run("full")) {
        Err(not_here) => judged.outcome.not_compared.push(format!("a full file system: {}", not_here.reason)),
        Ok(FullDiskTrial { resumed, problem, .. }) => {
            if let Some(message) = lost(problem.as_ref(), resumed.as_ref(), &whole.trace(), steps) {
                return Ok(outcome(Verdict::ResumeBreak, format!("on a full file system: {message}")));
            }
            judged.outcome.facts.push("a full file system was told, and nothing was lost".to_owned());
        }
    }
    Ok(judged)
}

/// What is wrong after a failure: what the driver saw, or the first leaf at the end that is not that of `whole`.
fn lost(problem: Option<&String>, resumed: Option<&RunOutput>, whole: &Path, steps: u64) -> Option<String> {
    if let Some(problem) = problem {
        return Some(problem.clone());
    }
    let Some(resumed) = resumed else { return Some("no run could be made afterwards".to_owned()) };
    let last = steps.saturating_sub(1);
    let (expected, found) = (live(whole, last, false), live(&resumed.trace(), last, false));
    let (expected, found) = match (expected, found) {
        (Ok(expected), Ok(found)) => (expected, found),
        (Err(error), _) | (_, Err(error)) => return Some(error.to_string()),
    };
    let other = expected.iter().find(|leaf| !found.contains(leaf));
    let extra = found.iter().find(|leaf| !expected.contains(leaf));
    let leaf = other.or(extra)?;
    Some(format!("after the resume `{}` at step {last} is not that of a run that never failed", leaf.leaf))
}

fn title(trial: &StorageTrial) -> String {
    let error = match trial.failure.error {
        StorageErrorKind::Enospc => "ENOSPC",
        StorageErrorKind::Eio => "EIO",
        StorageErrorKind::Erofs => "EROFS",
        StorageErrorKind::ShortWrite => "a short write",
    };
    format!("{error} at {}", trial.operation)
}
