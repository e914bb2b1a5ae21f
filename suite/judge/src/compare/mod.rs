//! Compares two runs, bit for bit.
//!
//! [`Mode::Strict`] wants every record equal, in order. [`Mode::State`] is for pairs whose plans differ: what must be
//! equal is the state after each step and every scalar, and in kernel parts the tensors of each case. [`parting`] says
//! where two runs part that are not meant to be equal.

mod parting;
mod state;
mod strict;

pub use parting::{Parting, parting};

use crate::audit::audit;
use crate::control;
use crate::divergence::{Divergence, refine};
use crate::elements;
use crate::evidence::{EvidenceError, Run, check_pair, environment_changes, read_env};
use crate::golden::{self, Golden};
use crate::outcome::{Counts, Outcome, broken};
use contract::claim::Claim;
use contract::verdict::Verdict;
use std::path::Path;

/// How two runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Strict,
    State,
}

/// Two runs that must be equal.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub claim: Claim,
    pub mode: Mode,
    pub trial: &'a str,
    /// Trace directories. `left` is the plain run.
    pub left: &'a Path,
    pub right: &'a Path,
    /// The same two runs made again with more recorded. They may explain a difference, never excuse it.
    pub rerun: Option<(&'a Path, &'a Path)>,
    /// The caller has passed `left` through [`crate::audit::audit`] already.
    pub audited: bool,
}

impl<'a> Pair<'a> {
    /// A pair without a rerun, not audited yet.
    #[must_use]
    pub const fn new(claim: Claim, mode: Mode, trial: &'a str, left: &'a Path, right: &'a Path) -> Self {
        Self { claim, mode, trial, left, right, rerun: None, audited: false }
    }
}

/// Everything that decides between red and green by comparing bits. [`Exact`] is the one that counts; the trait is
/// there so that comparers with known faults can be put through [`crate::battery`].
pub trait Comparer {
    /// Compares two runs.
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        compare(pair)
    }

    /// Compares a run with a golden; see [`golden::compare`].
    fn golden(&self, golden: &Golden, trial: &str, run: &Path, contracts: &[String]) -> Outcome {
        golden::compare(golden, trial, run, contracts)
    }

    /// Says whether a planted fault was alive; see [`control::alive`].
    fn control(&self, claim: Claim, fault: &str, activations: u64, clean: &Path, planted: &Path) -> Outcome {
        control::alive(claim, fault, activations, clean, planted)
    }
}

/// The comparer of the suite.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Comparer for Exact {}

/// Compares two runs. PASS, the verdict of the claim with the first divergence, or INVALID.
#[must_use]
pub fn compare(pair: &Pair<'_>) -> Outcome {
    match judge(pair) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::invalid(pair.claim, pair.trial, &error),
    }
}

/// What the walk over two runs found.
#[derive(Default)]
pub(crate) struct Finding {
    pub divergence: Option<Divergence>,
    pub counts: Counts,
    pub not_compared: Vec<String>,
}

fn judge(pair: &Pair<'_>) -> Result<Outcome, EvidenceError> {
    let finding = walk(pair.claim, pair.mode, pair.left, pair.right)?;
    if !pair.audited {
        audit(pair.left)?;
    }
    let Finding { divergence, counts, mut not_compared } = finding;
    let changes = environment_changes(&read_env(pair.left)?, &read_env(pair.right)?);
    if !changes.is_empty() {
        not_compared.push(format!("environment ({})", changes.join("; ")));
    }
    let outcome = match divergence {
        None if counts.items + counts.frames_equal == 0 => {
            return Err(EvidenceError::Pair("nothing was compared".to_owned()));
        }
        None => Outcome::new(Verdict::Pass, pair.claim, pair.trial, Verdict::Pass.sentence()),
        Some(first) => {
            let divergence = explain(pair, first);
            let verdict = broken(pair.claim);
            Outcome::new(verdict, pair.claim, pair.trial, verdict.sentence()).at(divergence)
        }
    };
    let mut outcome = outcome.counted(counts);
    outcome.not_compared = not_compared;
    Ok(outcome)
}

pub(crate) fn walk(claim: Claim, mode: Mode, left: &Path, right: &Path) -> Result<Finding, EvidenceError> {
    let (mut left, mut right) = (Run::open(left)?, Run::open(right)?);
    check_pair(claim, &left.file, &right.file)?;
    match mode {
        Mode::Strict => strict::compare(&mut left, &mut right),
        Mode::State => state::compare(claim, &mut left, &mut right),
    }
}

/// Adds what the rerun and the element files show. A rerun that is no evidence itself explains nothing.
fn explain(pair: &Pair<'_>, first: Divergence) -> Divergence {
    let Some((left, right)) = pair.rerun else {
        let elements = elements::of_divergence(&first, pair.left, pair.right);
        return Divergence { elements, ..first };
    };
    match walk(pair.claim, pair.mode, left, right) {
        Ok(again) => {
            let refined = refine(&first, again.divergence);
            let elements = elements::of_divergence(&refined, left, right);
            Divergence { elements, ..refined }
        }
        Err(error) => Divergence { cause: format!("{}; the rerun is no evidence: {error}", first.cause), ..first },
    }
}
