//! The chained walk: run, kill at the first target, resume, kill at the second, and so on to the end.

use super::points::{self, Chain, Place, Target};
use crate::control::{Answer, Conduct, Offer};
use crate::runner::{RunError, RunOutput, RunSpec, Runner, Start};
use contract::control::{Announcement, Point};
use contract::pointer::{LATEST, Pointer};
use contract::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One process of a walk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Where it was to be killed; `None`: it was to run to the end.
    pub target: Option<Target>,
    /// Segments of one life share a checkpoint folder. A new life begins, from the start, when a run has come to its
    /// end before all targets were reached.
    pub life: u32,
    /// It was killed at a random time, before it had loaded or recorded anything: it shows nothing, and whether its
    /// predecessor can be resumed is seen in the next run.
    pub stillborn: bool,
    pub run: RunOutput,
}

impl Segment {
    /// A segment from what its run left behind.
    #[must_use]
    pub fn new(target: Option<Target>, life: u32, run: RunOutput) -> Self {
        let stillborn = run.killed && run.killed_at.is_none() && run.loaded.is_none() && !run.has_records();
        Self { target, life, stillborn, run }
    }
}

/// What ended a walk too early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// Folder of the run.
    pub directory: PathBuf,
    pub start: Start,
    /// The kill before, which this run could not be resumed from.
    pub after: Option<Target>,
    pub verdict: Verdict,
    pub message: String,
}

/// Everything that a walk did, for the judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkOutput {
    pub name: String,
    pub listed: Vec<Target>,
    pub segments: Vec<Segment>,
    /// Targets that a whole life did not come to.
    pub missed: Vec<Target>,
    pub broken: Option<Broken>,
}

/// Red unless all three are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub listed: usize,
    /// Runs that died at their target by signal 9.
    pub killed: usize,
    /// Of those, the ones whose next run loaded a checkpoint, or started over because none had been committed.
    pub resumed: usize,
}

impl WalkOutput {
    #[must_use]
    pub fn counts(&self) -> Counts {
        let as_told = |segment: &&Segment| segment.target.is_some() && segment.run.died_as_told();
        let went_on = |segment: &Segment| segment.run.loaded.is_some() == segment.run.latest_before.is_some();
        let resumed = |(index, segment): &(usize, &Segment)| {
            let next = self.segments[index + 1..].iter().find(|next| !next.stillborn);
            as_told(segment) && next.is_some_and(|next| next.life == segment.life && went_on(next))
        };
        Counts {
            listed: self.listed.len(),
            killed: self.segments.iter().filter(as_told).count(),
            resumed: self.segments.iter().enumerate().filter(resumed).count(),
        }
    }

    /// Every target was reached, every kill survived, and the last run came to its end.
    #[must_use]
    pub fn complete(&self) -> bool {
        let counts = self.counts();
        let ended = self.segments.last().is_some_and(|segment| !segment.run.killed);
        self.broken.is_none() && ended && counts.listed == counts.killed && counts.killed == counts.resumed
    }

    /// Segments whose trace ends with `end`.
    pub fn ended(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|segment| !segment.run.killed)
    }

    pub(super) fn new(name: &str, listed: Vec<Target>) -> Self {
        Self { name: name.to_owned(), listed, segments: Vec::new(), missed: Vec::new(), broken: None }
    }
}

/// Walks a chain in folders under `directory`. `base` is the run that is never killed; its folder, start and
/// checkpoint folder are replaced. Ends at the first run that cannot be resumed; to name a red point, walk it alone
/// (see [`Chain::alone`]).
#[must_use]
pub fn walk(runner: &Runner, base: &RunSpec, chain: &Chain, directory: &Path) -> WalkOutput {
    let mut output = WalkOutput::new(&chain.name, chain.targets.clone());
    let mut targets = chain.targets.iter();
    let mut target = targets.next();
    let (mut life, mut fresh_for_target) = (0, true);
    loop {
        let mut spec = segment_spec(base, directory, output.segments.len(), life);
        spec.set.extend(chain.set.clone());
        let after = output.segments.last().filter(|last| last.run.killed).and_then(|last| last.target.clone());
        let run = match one(runner, &spec, target) {
            Ok(run) => run,
            Err(error) => {
                output.broken = Some(broken(&spec, after, &error));
                return output;
            }
        };
        let killed = run.killed;
        output.segments.push(Segment::new(target.cloned(), life, run));
        if killed {
            target = targets.next();
            fresh_for_target = false;
            continue;
        }
        if let (Some(missed), true) = (target, fresh_for_target) {
            output.missed.push(missed.clone());
            target = targets.next();
        }
        if target.is_none() {
            return output;
        }
        (life, fresh_for_target) = (life + 1, true);
    }
}

impl Chain {
    /// The chain of one target of this chain: a fresh run to the point, a kill, a resume to the end.
    #[must_use]
    pub fn alone(&self, target: &Target) -> Self {
        let mut targets = vec![target.clone()];
        if target.place == Place::Loaded {
            // Something must have been killed before a run can load.
            targets.splice(0..0, self.targets.iter().take(2).cloned());
        }
        Self { name: format!("alone-{target}"), targets, set: self.set.clone() }
    }
}

/// The spec of a segment: `resume` when there is a committed save, otherwise from the start.
pub(super) fn segment_spec(base: &RunSpec, directory: &Path, index: usize, life: u32) -> RunSpec {
    let mut spec = base.at(&directory.join(format!("segment-{index:04}")));
    // Called like that of the listing, since operations are found again by their paths.
    let checkpoints = directory.join(format!("life-{life}")).join("checkpoints");
    let saved = !matches!(Pointer::read(&checkpoints.join(LATEST)), Ok(None));
    spec.start = if saved { Start::Resume } else { Start::Train };
    spec.checkpoints = Some(checkpoints);
    spec
}

pub(super) fn broken(spec: &RunSpec, after: Option<Target>, error: &RunError) -> Broken {
    // A run that fails after a kill is a broken resume; a run that fails by itself says nothing of resuming.
    let verdict = match error {
        RunError::Exit { .. } | RunError::TimedOut { .. } | RunError::Pointer(_) if after.is_some() => {
            Verdict::ResumeBreak
        }
        other => other.verdict(),
    };
    Broken { directory: spec.directory.clone(), start: spec.start, after, verdict, message: error.to_string() }
}

fn one(runner: &Runner, spec: &RunSpec, target: Option<&Target>) -> Result<RunOutput, RunError> {
    let Some(target) = target else { return runner.run(spec) };
    let mut decide = |offer: &Offer<'_>| decide(target, offer);
    let run = runner.attempt(spec, Conduct::Decide(&mut decide))?;
    if run.killed { Ok(run) } else { run.succeeded() }
}

/// During an asynchronous save the kill waits until training has advanced, unless training waits for the save.
fn decide(target: &Target, offer: &Offer<'_>) -> Answer {
    match &offer.announcement.point {
        _ if !target.is(offer.announcement, offer.heard) => Answer::Go,
        Point::Storage { save, asynchronous: true, .. } if advanced(offer.heard, *save) == 0 && !offer.stuck => {
            Answer::Hold
        }
        _ => Answer::Kill,
    }
}

/// Points of training, among those announced, of steps that are not in the save: more than 0 when training went on
/// while the save was written.
#[must_use]
pub fn advanced(heard: &[Announcement], save: u64) -> usize {
    heard.iter().filter(|announcement| points::step(&announcement.point).is_some_and(|step| step >= save)).count()
}
