//! Claim `resume`: killed anywhere and resumed is never killed.

use super::super::specs;
use super::super::trial::{Context, Halt, Judged};
use crate::catalogue::{Extent, Resume};
use crate::kill::points::save_every_step;
use crate::kill::walk::advanced;
use crate::kill::{Chain, Listing, WalkOutput, list_points, random_kills, walk};
use crate::report::KillCounts;
use crate::runner::{RunOutput, RunSpec};
use contract::claim::Claim;
use contract::control::Point;
use contract::description::PartDescription;
use contract::request::Part;
use contract::verdict::Verdict;
use judge::{Mode, Outcome, Pair};
use std::path::Path;

/// Kills without a handshake in one trial: of the whole, and of a sample.
const RANDOM_KILLS: (usize, usize) = (6, 2);
/// Seeded points of one trial from which a run goes to its end.
const TO_THE_END: (usize, usize) = (10, 1);

pub fn resume(context: &Context<'_>, part: &PartDescription, how: Resume) -> Result<Judged, Halt> {
    let base = base(context, part);
    let synchronous = listing(context, &base, false)?;
    let extent = Extent::of(context.session.description(&context.entry.recipe)?, part);
    let trial = Trial { context, part, base: &base, listing: &synchronous, extent };
    let mut judged = match how {
        Resume::Random => trial.random(),
        Resume::AsynchronousSave => {
            let asynchronous = listing(context, &base, true)?;
            let listing = Listing { synchronous: synchronous.clone(), asynchronous };
            trial.save(&listing, true)
        }
        Resume::Save => trial.save(&only(&synchronous), false),
        _ => trial.steps(),
    }?;
    if extent == Extent::Sample {
        judged.outcome.not_compared.push("kills that the sample left out: another part tries them".to_owned());
    }
    Ok(judged)
}

/// The run that is killed: the plain one. Kills choose when it is saved.
pub fn base(context: &Context<'_>, part: &PartDescription) -> RunSpec {
    let mut spec = specs::plain(context.session, &context.entry.recipe, part, None);
    spec.checkpoints = None;
    spec
}

/// The uninterrupted run that announces every point and saves after every step.
pub fn listing(context: &Context<'_>, base: &RunSpec, asynchronous: bool) -> Result<RunOutput, Halt> {
    let session = context.session;
    context.progress("listing the points");
    let mut keyed = base.clone();
    keyed.set.extend(save_every_step(asynchronous));
    let key = format!("{}-listing", session.runner.key(&keyed));
    session.shared_by(&key, |directory| list_points(&session.runner, base, asynchronous, directory))
}

fn only(synchronous: &RunOutput) -> Listing {
    Listing { synchronous: synchronous.clone(), asynchronous: synchronous.clone() }
}

struct Trial<'a> {
    context: &'a Context<'a>,
    part: &'a PartDescription,
    base: &'a RunSpec,
    listing: &'a RunOutput,
    extent: Extent,
}

impl Trial<'_> {
    fn outcome(&self, verdict: Verdict, message: impl Into<String>) -> Outcome {
        Outcome::new(verdict, Claim::Resume, self.context.name(), message)
    }

    /// Every step, every phase, and right after a load; the end of every step too, unless it is a sample.
    fn steps(&self) -> Result<Judged, Halt> {
        let session = self.context.session;
        let listing = only(self.listing);
        if self.part.part == Part::EndToEnd {
            let described = &session.description(&self.context.entry.recipe)?.phases;
            let missing = listing.missing_phases(described);
            if !missing.is_empty() {
                let message = format!("the run never announced the phases {}", missing.join(", "));
                return Ok(Judged::new(self.outcome(Verdict::CoverageGap, message)));
            }
        }
        let plain = session.shared_run(&specs::plain(session, &self.context.entry.recipe, self.part, None))?.trace();
        let trace = self.listing.trace();
        let unheard = Pair::new(Claim::Resume, Mode::State, self.context.name(), &plain, &trace);
        let same = judge::compare::compare(&unheard);
        if !same.passed() {
            return Ok(Judged::of_pair(same, plain, trace));
        }
        let mut chains: Vec<_> =
            listing.chains(1).into_iter().filter(|chain| chain.name.starts_with("steps")).collect();
        if self.extent == Extent::Sample {
            chains.iter_mut().for_each(Chain::keep_each_step_and_phase);
        }
        self.walk_all(chains.into_iter(), &trace)
    }

    /// Every storage operation of a save, or one of each kind.
    fn save(&self, listing: &Listing, asynchronous: bool) -> Result<Judged, Halt> {
        let name = if asynchronous { "async-save" } else { "save" };
        let uninterrupted = if asynchronous { listing.asynchronous.trace() } else { listing.synchronous.trace() };
        let mut chains: Vec<_> = listing.chains(1).into_iter().filter(|chain| chain.name == name).collect();
        if self.extent == Extent::Sample {
            chains.iter_mut().for_each(|chain| chain.keep_one_of_each_kind(self.context.session.seed));
        }
        if chains.is_empty() {
            let message = "no operation of a save was announced, so none can be killed at";
            return Ok(Judged::new(self.outcome(Verdict::Invalid, message)));
        }
        let mut judged = self.walk_all(chains.into_iter(), &uninterrupted)?;
        if asynchronous && judged.outcome.passed() {
            let during = steps_during_saves(&listing.asynchronous);
            if during == 0 {
                let message = "training did not go on during any asynchronous save, so nothing was tried";
                judged.outcome = self.outcome(Verdict::Invalid, message);
            } else {
                judged.outcome.facts.push(format!("{during} points of training passed while saves were written"));
            }
        }
        Ok(judged)
    }

    /// At random times without a handshake, and at seeded points to the end.
    fn random(&self) -> Result<Judged, Halt> {
        let (context, seed) = (self.context, self.context.session.seed);
        let mut base = self.base.clone();
        base.set.extend(save_every_step(false));
        let count = self.extent.pick(RANDOM_KILLS);
        context.progress(format!("killing at {count} random times"));
        let folder = context.folder.run("random");
        let wall = self.listing.wall_seconds;
        let random = random_kills(&context.session.runner, &base, seed, count, wall, &folder);
        let trace = self.listing.trace();
        let (outcome, counts) = (random.judge(context.name(), &trace), kill_counts(&random));
        let judged = Judged { outcome, kill_points: counts, pair: None };
        if !judged.outcome.passed() {
            return Ok(judged);
        }
        let single = only(self.listing).to_the_end(seed, self.extent.pick(TO_THE_END));
        let rest = self.walk_all(single.into_iter(), &trace)?;
        Ok(Judged { kill_points: counts.plus(rest.kill_points), ..rest })
    }

    fn walk_all(&self, chains: impl Iterator<Item = Chain>, uninterrupted: &Path) -> Result<Judged, Halt> {
        let runner = &self.context.session.runner;
        let mut judged = Judged::new(self.outcome(Verdict::Invalid, "no point was listed, so nothing was killed"));
        for chain in chains {
            self.context.progress(format!("{}: {} kills", chain.name, chain.targets.len()));
            let output = walk(runner, self.base, &chain, &self.context.folder.run(&chain.name));
            let (outcome, counts) = (output.judge(self.context.name(), uninterrupted), kill_counts(&output));
            let facts = std::mem::take(&mut judged.outcome.facts);
            judged.outcome = outcome;
            judged.outcome.facts.splice(0..0, facts);
            judged.kill_points = judged.kill_points.plus(counts);
            if !judged.outcome.passed() {
                self.replay_alone(&output, &chain, uninterrupted, &mut judged.outcome);
                break;
            }
        }
        Ok(judged)
    }

    /// Makes the red point again without the kills before it, so that a report says whether it needs them.
    fn replay_alone(&self, walked: &WalkOutput, chain: &Chain, uninterrupted: &Path, outcome: &mut Outcome) {
        let Some(target) = walked.suspects(outcome).into_iter().next() else { return };
        self.context.progress(format!("alone: {target}"));
        let folder = self.context.folder.run("alone");
        let alone = walk(&self.context.session.runner, self.base, &chain.alone(&target), &folder);
        let again = alone.judge(self.context.name(), uninterrupted);
        outcome.facts.push(format!("killed alone at {target}: {} ({})", again.verdict, again.message));
    }
}

fn kill_counts(output: &WalkOutput) -> KillCounts {
    let counts = output.counts();
    let number = |count: usize| count as u64;
    KillCounts { listed: number(counts.listed), killed: number(counts.killed), resumed: number(counts.resumed) }
}

/// Points of training that passed while an asynchronous save was written.
fn steps_during_saves(run: &RunOutput) -> usize {
    let mut saves: Vec<u64> = Vec::new();
    for point in run.points() {
        if let Point::Storage { save, asynchronous: true, .. } = point
            && !saves.contains(save)
        {
            saves.push(*save);
        }
    }
    saves.into_iter().filter(|save| advanced(&run.announcements, *save) > 0).count()
}
