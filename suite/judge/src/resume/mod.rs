//! Claim `resume`: a run that was killed and resumed, again and again, is the run that was never killed.
//!
//! Bits alone cannot show it: a run that silently starts over has the right bits too. So each link of the chain must
//! also show evidence of what was loaded.

mod segment;

use crate::audit::audit;
use crate::divergence::Divergence;
use crate::evidence::{EvidenceError, Run, check_pair, hollow};
use crate::outcome::{Counts, Outcome};
use contract::claim::Claim;
use contract::pointer::Pointer;
use contract::record::Body;
use contract::verdict::Verdict;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Signal that kills without a last word.
const SIGKILL: i32 = 9;

/// One run of a chain.
#[derive(Clone, Debug)]
pub struct Segment {
    pub trace: PathBuf,
    /// The driver killed it.
    pub killed: bool,
    /// Signal that ended it, from its wait status.
    pub signal: Option<i32>,
    /// Its `loaded.json`.
    pub loaded: Option<Pointer>,
    /// The newest save that was committed before the driver killed it: `latest.json`, read by the driver.
    pub committed: Option<Pointer>,
}

/// An uninterrupted run and a chain that must be equal to it.
#[derive(Clone, Debug)]
pub struct Chain<'a> {
    pub trial: &'a str,
    pub uninterrupted: PathBuf,
    /// In order. All but the last were killed; the last ran to its end.
    pub segments: Vec<Segment>,
    /// Steps at which the last one ends; `None`: where the uninterrupted run ends.
    pub steps: Option<u64>,
}

/// What is wrong with a chain.
enum Break {
    Evidence(EvidenceError),
    /// The bits are not asked: what was loaded is wrong.
    Loaded(String),
    Bits(String, Box<Divergence>),
}

impl From<EvidenceError> for Break {
    fn from(error: EvidenceError) -> Self {
        Self::Evidence(error)
    }
}

/// Judges a chain: PASS, RESUME_BREAK naming evidence, step, leaf and section, or INVALID.
#[must_use]
pub fn resume(chain: &Chain<'_>) -> Outcome {
    let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Resume, chain.trial, message);
    match judge(chain) {
        Ok((counts, facts)) => {
            let mut pass = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned()).counted(counts);
            pass.facts.extend(facts);
            pass.not_compared.push("tensors inside a step, and the order of events".to_owned());
            pass
        }
        Err(Break::Evidence(error)) => Outcome::invalid(Claim::Resume, chain.trial, &error),
        Err(Break::Loaded(message)) => outcome(Verdict::ResumeBreak, message),
        Err(Break::Bits(message, divergence)) => outcome(Verdict::ResumeBreak, message).at(*divergence),
    }
}

fn judge(chain: &Chain<'_>) -> Result<(Counts, Vec<String>), Break> {
    audit(&chain.uninterrupted)?;
    let run = Run::open(&chain.uninterrupted)?;
    let ranks = run.ranks.len() as u64;
    check_shape(chain, &run)?;
    let mut counts = Counts { ranks, ..Counts::default() };
    let mut covered = BTreeSet::new();
    let mut facts = Vec::new();
    for (index, segment) in chain.segments.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &chain.segments[before]);
        check_evidence(index, before, segment)?;
        segment::compare(chain, index, segment, &mut counts, &mut covered)?;
        facts.extend(segment.loaded.as_ref().map(|loaded| {
            format!("run {index} loaded step {} (manifest {})", loaded.step, short(&loaded.manifest_digest))
        }));
    }
    let end = chain.steps.map_or_else(|| end_of(chain), Ok)?;
    if let Some(step) = (0..end).find(|step| !covered.contains(step)) {
        return Err(hollow(&chain.uninterrupted, format!("no run of the chain recorded step {step}")).into());
    }
    counts.steps = covered.len() as u64;
    let killed = chain.segments.iter().filter(|segment| segment.killed).count();
    facts.push(format!("{killed} runs died by signal {SIGKILL} and were resumed"));
    Ok((counts, facts))
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// A chain has a victim, ends by itself, and all of its runs are of one recipe and different.
fn check_shape(chain: &Chain<'_>, run: &Run) -> Result<(), EvidenceError> {
    let pair = |message: &str| Err(EvidenceError::Pair(message.to_owned()));
    let [victims @ .., last] = chain.segments.as_slice() else { return pair("the chain is empty") };
    if victims.is_empty() {
        return pair("nothing was killed");
    }
    if victims.iter().any(|segment| !segment.killed) || last.killed {
        return pair("every run of a chain but the last is killed, and the last one ends by itself");
    }
    let mut files = vec![run.file.clone()];
    for segment in &chain.segments {
        let Some(other) = Run::open_killed(&segment.trace)? else { continue };
        for file in &files {
            check_pair(Claim::Resume, file, &other.file)?;
        }
        files.push(other.file);
    }
    Ok(())
}

fn check_evidence(index: usize, before: Option<&Segment>, segment: &Segment) -> Result<(), Break> {
    let broken = |message: String| Err(Break::Loaded(message));
    if segment.killed && segment.signal != Some(SIGKILL) {
        let how =
            segment.signal.map_or_else(|| "ended by itself".to_owned(), |signal| format!("died by signal {signal}"));
        return broken(format!("run {index} was to die by signal {SIGKILL}; it {how}"));
    }
    if let (false, Some(signal)) = (segment.killed, segment.signal) {
        return broken(format!("run {index} was not killed and died by signal {signal}"));
    }
    let committed = before.and_then(|before| before.committed.as_ref());
    match (committed, &segment.loaded) {
        (None, _) => Ok(()),
        (Some(committed), None) => broken(format!(
            "run {index} names no checkpoint that it loaded, although step {} was committed: it started over",
            committed.step
        )),
        (Some(committed), Some(loaded)) if loaded.step < committed.step => broken(format!(
            "run {index} loaded step {}, older than step {}, which was committed before the kill",
            loaded.step, committed.step
        )),
        (Some(committed), Some(loaded))
            if loaded.step == committed.step && loaded.manifest_digest != committed.manifest_digest =>
        {
            broken(format!(
                "run {index} loaded step {} with manifest {}, the committed one is {}",
                loaded.step, loaded.manifest_digest, committed.manifest_digest
            ))
        }
        _ => Ok(()),
    }
}

/// Steps that the uninterrupted run made.
fn end_of(chain: &Chain<'_>) -> Result<u64, EvidenceError> {
    let mut run = Run::open(&chain.uninterrupted)?;
    let reader = &mut run.ranks[0];
    let last = reader.frame(reader.entries().len() - 1)?;
    match last.records.last().map(|record| &record.body) {
        Some(Body::End { steps }) => Ok(*steps),
        _ => Err(hollow(&chain.uninterrupted, "it has no `end` record")),
    }
}

#[cfg(test)]
mod tests;
