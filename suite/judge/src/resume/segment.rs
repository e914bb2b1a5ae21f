//! Compares one run of a chain with the uninterrupted run, step by step.

use super::{Break, Chain, Segment};
use crate::census::divergence;
use crate::divergence::{Divergence, Kind, of_item};
use crate::evidence::{Run, hollow};
use crate::outcome::Counts;
use crate::steps::{EVAL, Key, Step, Steps, Value};
use std::collections::{BTreeMap, BTreeSet};

type Items = BTreeMap<Key, (Value, usize)>;

pub fn compare(
    chain: &Chain<'_>,
    index: usize,
    segment: &Segment,
    counts: &mut Counts,
    covered: &mut BTreeSet<u64>,
) -> Result<(), Break> {
    let mut uninterrupted = Run::open(&chain.uninterrupted)?;
    let run = if segment.killed { Run::open_killed(&segment.trace)? } else { Some(Run::open(&segment.trace)?) };
    // Killed before its first frame: nothing to compare, and the next run shows whether anything was lost.
    let Some(mut run) = run else { return Ok(()) };
    let (mut plain, mut resumed) = (Steps::new(&mut uninterrupted, false), Steps::new(&mut run, false));
    let loaded = segment.loaded.as_ref().map_or(0, |pointer| pointer.step);
    let mut progress = Progress { index, loaded, restored: false, next: loaded, ended: None };
    let mut at: Option<Step> = None;
    while let Some(step) = resumed.next_step()? {
        if at.as_ref().is_none_or(|at| at.step < step.step) {
            plain.seek(step.step);
            at = plain.next_step()?;
        }
        progress.ended = step.end.or(progress.ended);
        let Some(reference) = at.as_ref().filter(|at| at.step == step.step) else {
            if step.trained() || !step.restored.is_empty() {
                return Err(Break::Loaded(format!("run {index} made step {}, the uninterrupted did not", step.step)));
            }
            continue;
        };
        progress.check(reference, &step, counts, covered)?;
    }
    counts.frames_unpacked += plain.unpacked + resumed.unpacked;
    progress.finish(chain, segment)
}

struct Progress {
    index: usize,
    /// Steps that the loaded state has behind it; 0 for a fresh start.
    loaded: u64,
    restored: bool,
    /// The step that must come next.
    next: u64,
    ended: Option<u64>,
}

impl Progress {
    fn check(
        &mut self,
        reference: &Step,
        step: &Step,
        counts: &mut Counts,
        covered: &mut BTreeSet<u64>,
    ) -> Result<(), Break> {
        if !step.restored.is_empty() {
            self.check_restored(reference, step, counts)?;
        }
        if !step.trained() {
            return Ok(());
        }
        if step.step != self.next {
            let what = if self.next == self.loaded { "its first training record is of" } else { "went on with" };
            return Err(Break::Loaded(format!(
                "run {} {what} step {}; expected step {}, the one after what it loaded or made",
                self.index, step.step, self.next
            )));
        }
        self.next += 1;
        covered.insert(step.step);
        self.compare(&reference.items, &step.items, reference, step, counts, "after the step")
    }

    fn check_restored(&mut self, reference: &Step, step: &Step, counts: &mut Counts) -> Result<(), Break> {
        if Some(step.step) != self.loaded.checked_sub(1) {
            return Err(Break::Loaded(format!(
                "run {} loaded step {} and restored the state of another one: its records say step {}",
                self.index, self.loaded, step.step
            )));
        }
        self.restored = true;
        let state = |items: &Items| -> Items {
            items.iter().filter(|(key, _)| matches!(key, Key::State(_))).map(|(k, v)| (k.clone(), v.clone())).collect()
        };
        self.compare(&state(&reference.items), &step.restored, reference, step, counts, "right after the load")
    }

    fn compare(
        &self,
        left: &Items,
        right: &Items,
        reference: &Step,
        step: &Step,
        counts: &mut Counts,
        when: &str,
    ) -> Result<(), Break> {
        let keys: BTreeSet<&Key> = left.keys().chain(right.keys()).collect();
        for key in keys {
            let (a, b) = (left.get(key), right.get(key));
            let eval = matches!(key, Key::Scalar(name) if name.starts_with(EVAL));
            if eval && (a.is_none() || b.is_none()) {
                continue;
            }
            counts.items += 1;
            if a.map(|(value, _)| value) == b.map(|(value, _)| value) {
                continue;
            }
            let found = of_item(if a.is_some() { reference } else { step }, key, a, b);
            return Err(self.broken(key, found, when));
        }
        Ok(())
    }

    fn broken(&self, key: &Key, found: Divergence, when: &str) -> Break {
        let what = match key.name().split_once('/') {
            Some((section, _)) => format!("leaf `{}` (section {section})", key.name()),
            None => format!("scalar `{}`", key.name()),
        };
        let message =
            format!("run {}, step {}, {when}: {what} is not that of the uninterrupted run", self.index, found.step);
        let cause = if when == "right after the load" {
            "it was saved, loaded or derived wrongly"
        } else {
            "something that the step reads was not restored, or is not part of the state"
        };
        Break::Bits(message, Box::new(Divergence { cause: cause.to_owned(), ..found }))
    }

    fn finish(&self, chain: &Chain<'_>, segment: &Segment) -> Result<(), Break> {
        if segment.killed {
            return Ok(());
        }
        if self.loaded > 0 && !self.restored {
            return Err(hollow(&segment.trace, "it recorded no state right after its load").into());
        }
        let expected = chain.steps.map_or_else(|| super::end_of(chain), Ok)?;
        if self.next == expected && self.ended == Some(expected) {
            return Ok(());
        }
        let message = format!("run {} ended after step {}; expected {expected} steps", self.index, self.next);
        let text = |steps: u64| format!("{steps} steps");
        let found = divergence(self.next, Kind::Missing, "the whole step", text(expected), text(self.next));
        Err(Break::Bits(message, Box::new(found)))
    }
}
