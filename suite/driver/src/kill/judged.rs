//! Hands a walk to the judge.

use super::points::{self, Target};
use super::walk::{Segment, WalkOutput};
use crate::process::Ending;
use contract::claim::Claim;
use contract::verdict::Verdict;
use judge::Outcome;
use judge::resume::{self, resume};
use std::path::Path;

impl Segment {
    /// As the judge sees it.
    #[must_use]
    pub fn evidence(&self) -> resume::Segment {
        let signal = match self.run.ending {
            Ending::Signal(signal) => Some(signal),
            Ending::Code(_) => None,
        };
        resume::Segment {
            trace: self.run.trace(),
            killed: self.run.killed,
            signal,
            loaded: self.run.loaded.clone(),
            committed: self.run.latest_after.clone(),
        }
    }

    /// Whether the run restored the state after this step, or made the step.
    fn covers(&self, step: u64) -> bool {
        let loaded = self.run.loaded.as_ref().map_or(0, |pointer| pointer.step);
        let reached = self.run.points().filter_map(points::step).max();
        // Without a socket nothing is announced, and it may have come to any step.
        step + 1 >= loaded && reached.is_none_or(|reached| step <= reached)
    }
}

impl WalkOutput {
    /// Segments of each life, in order: each is a chain of its own that ends by itself.
    pub fn lives(&self) -> impl Iterator<Item = &[Segment]> {
        self.segments.chunk_by(|a, b| a.life == b.life)
    }

    /// Judges the walk against the trace directory of the run that was never killed. Red when the walk broke off,
    /// when a target was missed, when listed, killed and resumed differ, or when a bit does.
    #[must_use]
    pub fn judge(&self, trial: &str, uninterrupted: &Path) -> Outcome {
        let mut passed: Option<Outcome> = None;
        let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Resume, trial, message);
        for life in self.lives() {
            let segments: Vec<_> = life.iter().filter(|segment| !segment.stillborn).map(Segment::evidence).collect();
            let whole = segments.last().is_some_and(|last| !last.killed);
            if !whole || segments.len() < 2 {
                continue;
            }
            let chain = resume::Chain { trial, uninterrupted: uninterrupted.to_owned(), segments, steps: None };
            let judged = resume(&chain);
            if !judged.passed() {
                return judged;
            }
            passed = Some(match passed {
                None => judged,
                Some(before) => Outcome { facts: [before.facts, judged.facts].concat(), ..judged },
            });
        }
        if let Some(broken) = &self.broken {
            let after =
                broken.after.as_ref().map(|target| format!("after the kill at `{target}`: ")).unwrap_or_default();
            return outcome(broken.verdict, format!("{after}{}", broken.message));
        }
        let counts = self.counts();
        let numbers = format!("{} points listed, {} killed, {} resumed", counts.listed, counts.killed, counts.resumed);
        if let Some(missed) = self.missed.first() {
            return outcome(Verdict::ResumeBreak, format!("{numbers}; `{missed}` was never reached"));
        }
        if !self.complete() {
            return outcome(Verdict::ResumeBreak, numbers);
        }
        match passed {
            Some(mut passed) => {
                passed.facts.push(numbers);
                passed
            }
            None => outcome(Verdict::Invalid, format!("{numbers}: nothing was killed and resumed")),
        }
    }

    /// Targets that a red outcome of [`WalkOutput::judge`] may be the fault of, first the likeliest. Walk them alone,
    /// one after the other, to name the one.
    #[must_use]
    pub fn suspects(&self, outcome: &Outcome) -> Vec<Target> {
        if let Some(after) = self.broken.as_ref().and_then(|broken| broken.after.clone()) {
            return vec![after];
        }
        let red = |segment: &Segment| match &outcome.divergence {
            Some(divergence) => segment.covers(divergence.step),
            None => segment.run.loaded != segment.run.latest_before,
        };
        let mut pairs: Vec<_> = self.segments.windows(2).filter(|pair| pair[0].run.killed && red(&pair[1])).collect();
        // A run that loaded nothing cannot have loaded it wrongly.
        pairs.sort_by_key(|pair| pair[1].run.loaded.is_none());
        pairs.into_iter().filter_map(|pair| pair[0].target.clone()).collect()
    }
}
