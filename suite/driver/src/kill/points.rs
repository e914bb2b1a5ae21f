//! The points of a run, and the order in which a walk visits them.

use crate::control::{Answer, Conduct};
use crate::nonce;
use crate::runner::{RunError, RunOutput, RunSpec, Runner};
use contract::control::{Announcement, Point};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// A point to kill at, of one rank.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    pub rank: u32,
    pub place: Place,
}

/// What an operation of a save does, so that it is found again in other saves. Its ordinal says little: a save that
/// comes after a kill begins by removing what the killed one left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Operation {
    pub name: String,
    /// The last two parts; numbers of folders and files are `#`, an offset stays.
    pub path: String,
    /// Whether the save had created or written something before.
    pub begun: bool,
    /// How many operations like this one came before in the save.
    pub occurrence: u64,
}

impl Operation {
    /// An announcement among others of its run as an operation of its save; `None` when it is none.
    #[must_use]
    pub fn of(announcement: &Announcement, heard: &[Announcement]) -> Option<Self> {
        let Point::Storage { save, operation, path, asynchronous, .. } = &announcement.point else { return None };
        // What waits for an answer need not be the last that was heard.
        let before = &heard[..heard.iter().rposition(|other| other == announcement)?];
        let mut found = Self { name: operation.clone(), path: numberless(path), begun: false, occurrence: 0 };
        let mut occurrences = [0, 0];
        for earlier in before.iter().filter(|earlier| earlier.rank == announcement.rank) {
            if let Point::Storage { save: other, operation, path, asynchronous: kind, .. } = &earlier.point
                && (other, kind) == (save, asynchronous)
            {
                let same = *operation == found.name && numberless(path) == found.path;
                occurrences[usize::from(found.begun)] += u64::from(same);
                found.begun |= operation.contains("create") || operation.contains("write");
            }
        }
        found.occurrence = occurrences[usize::from(found.begun)];
        Some(found)
    }
}

/// The last two parts of a path, with `#` for each number but an offset.
fn numberless(path: &str) -> String {
    let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    let path = &path[start..];
    let (name, offset) = path.split_once(" at ").map_or((path, None), |(name, offset)| (name, Some(offset)));
    let mut text = String::with_capacity(path.len());
    for character in name.chars() {
        match character.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(character),
        }
    }
    offset.map(|offset| format!("{text} at {offset}")).unwrap_or(text)
}

/// Where in a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Exactly this point.
    At(Point),
    /// An operation of a save: of the next one, from the save `from` on, that has this operation. Not of one particular
    /// save, since a kill after its commit means that it is never made again.
    Operation { operation: Operation, asynchronous: bool, from: u64 },
    /// A resumed run has loaded its checkpoint.
    Loaded,
    /// Wherever it is after this time, in microseconds.
    Time(u64),
}

impl Target {
    /// Whether the announcement, one of those that were heard, is this target.
    #[must_use]
    pub fn is(&self, announcement: &Announcement, heard: &[Announcement]) -> bool {
        announcement.rank == self.rank
            && match (&self.place, &announcement.point) {
                (Place::At(wanted), point) => wanted == point,
                (Place::Loaded, Point::Loaded { .. }) => true,
                (
                    Place::Operation { operation, asynchronous, from },
                    Point::Storage { save, operation: name, asynchronous: kind, .. },
                ) => {
                    *name == operation.name
                        && asynchronous == kind
                        && save >= from
                        && Operation::of(announcement, heard).is_some_and(|found| found == *operation)
                }
                _ => false,
            }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::At(point) => f.write_str(&point.name())?,
            Place::Operation { operation: Operation { name, path, occurrence, .. }, asynchronous, .. } => {
                write!(f, "{}save {name} {path}", if *asynchronous { "async " } else { "" })?;
                if *occurrence > 0 {
                    write!(f, " ({occurrence} before it)")?;
                }
            }
            Place::Loaded => f.write_str("loaded")?,
            Place::Time(microseconds) => write!(f, "after {microseconds} µs")?,
        }
        if self.rank > 0 { write!(f, " of rank {}", self.rank) } else { Ok(()) }
    }
}

/// Targets that one walk visits in this order, and what the walk overrides in `execution`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    pub name: String,
    pub targets: Vec<Target>,
    pub set: BTreeMap<String, Value>,
}

/// Makes one uninterrupted run that saves after every step and announces every point. It must have the bits of a run
/// without a socket; comparing them is the caller's work.
///
/// # Errors
/// As [`Runner::run`].
pub fn list_points(
    runner: &Runner,
    base: &RunSpec,
    asynchronous: bool,
    directory: &Path,
) -> Result<RunOutput, RunError> {
    let mut spec = base.at(directory);
    spec.checkpoints = Some(directory.join("checkpoints"));
    spec.set.extend(save_every_step(asynchronous));
    runner.attempt(&spec, Conduct::Decide(&mut |_| Answer::Go))?.succeeded()
}

/// Overrides with which a walk has at most one step to repeat.
#[must_use]
pub fn save_every_step(asynchronous: bool) -> BTreeMap<String, Value> {
    BTreeMap::from([
        ("checkpoint.every".to_owned(), Value::from(1)),
        ("checkpoint.asynchronous".to_owned(), Value::from(asynchronous)),
    ])
}

/// What the two listing runs announced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    pub synchronous: RunOutput,
    pub asynchronous: RunOutput,
}

impl Listing {
    /// Makes both listing runs in folders under `directory`.
    ///
    /// # Errors
    /// As [`list_points`].
    pub fn make(runner: &Runner, base: &RunSpec, directory: &Path) -> Result<Self, RunError> {
        let list = |asynchronous, name| list_points(runner, base, asynchronous, &directory.join(name));
        Ok(Self { synchronous: list(false, "listing")?, asynchronous: list(true, "listing-asynchronous")? })
    }

    /// Phases that no run announced, of those that a description names.
    #[must_use]
    pub fn missing_phases(&self, described: &[String]) -> Vec<String> {
        let announced: BTreeSet<_> = self.synchronous.points().filter_map(phase).map(|(_, phase)| phase).collect();
        described.iter().filter(|phase| !announced.contains(phase)).cloned().collect()
    }

    /// All chains: steps and phases in `parts` chains of equal length, the operations of a save, and those of an
    /// asynchronous save. A chain whose list is empty is left out; a caller that needs it must look.
    #[must_use]
    pub fn chains(&self, parts: usize) -> Vec<Chain> {
        let steps = self.steps_and_phases();
        let size = steps.len().div_ceil(parts.max(1)).max(1);
        let mut chains: Vec<_> = steps
            .chunks(size)
            .enumerate()
            .map(|(index, targets)| chain(format!("steps-{index}"), targets.to_vec(), false))
            .collect();
        chains.push(chain("save".into(), operations(&self.synchronous, false), false));
        chains.push(chain("async-save".into(), operations(&self.asynchronous, true), true));
        chains.retain(|chain| !chain.targets.is_empty());
        chains.iter_mut().for_each(kill_after_load);
        chains
    }

    /// Single points chosen by `seed`; each is a walk of its own that runs to the end.
    #[must_use]
    pub fn to_the_end(&self, seed: u64, count: usize) -> Vec<Chain> {
        let chains = self.chains(1);
        let all: Vec<_> = chains
            .iter()
            .flat_map(|chain| chain.targets.iter().map(move |target| (target, &chain.set)))
            .filter(|(target, _)| target.place != Place::Loaded)
            .collect();
        let alone = |index: usize| {
            let (target, set) = all[index];
            Chain { name: format!("to-the-end-{index}"), targets: vec![target.clone()], set: set.clone() }
        };
        nonce::choose(seed, all.len(), count).into_iter().map(alone).collect()
    }

    /// Every end of a step, and of each step one phase, so that every step and every phase is hit.
    fn steps_and_phases(&self) -> Vec<Target> {
        let heard = &self.synchronous.announcements;
        let ranks: BTreeSet<_> = heard.iter().map(|announcement| announcement.rank).collect();
        let ranks: Vec<_> = ranks.into_iter().collect();
        let steps: BTreeSet<_> = heard.iter().filter_map(|announcement| step(&announcement.point)).collect();
        let mut names: Vec<&String> = Vec::new();
        for (_, name) in heard.iter().filter_map(|announcement| phase(&announcement.point)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut wanted = BTreeSet::new();
        for (index, step) in steps.iter().enumerate() {
            let rank = ranks[index % ranks.len()];
            wanted.insert((rank, Point::StepEnd { step: *step }));
            // With fewer steps than phases a step takes several.
            for name in names.iter().skip(index % names.len().max(1)).step_by(steps.len()) {
                wanted.insert((rank, Point::Phase { step: *step, phase: (*name).clone() }));
            }
        }
        // A phase that not every step has, such as an evaluation, may have been missed by the rotation.
        for name in names {
            let has = |rank: u32, point: &Point| heard.iter().any(|a| a.rank == rank && a.point == *point);
            if !wanted.iter().any(|(rank, point)| phase(point).is_some_and(|(_, n)| n == name) && has(*rank, point)) {
                let first = heard.iter().find(|a| phase(&a.point).is_some_and(|(_, n)| n == name));
                wanted.extend(first.map(|a| (a.rank, a.point.clone())));
            }
        }
        // In the order of execution; what was never announced drops out.
        let announced = heard.iter().filter(|a| wanted.contains(&(a.rank, a.point.clone())));
        announced.map(|a| Target { rank: a.rank, place: Place::At(a.point.clone()) }).collect()
    }
}

fn chain(name: String, targets: Vec<Target>, asynchronous: bool) -> Chain {
    Chain { name, targets, set: save_every_step(asynchronous) }
}

/// Adds a kill right after a load, where two kills have made sure that there is something to load. The kills are
/// chained: the one after comes when the next run has loaded the same checkpoint again.
fn kill_after_load(chain: &mut Chain) {
    let at = chain.targets.len().min(4);
    if at >= 2 {
        let target = Target { rank: chain.targets[at - 1].rank, place: Place::Loaded };
        chain.targets.splice(at..at, [target.clone(), target]);
    }
}

/// The operations of the save that has most of them, from the second save on: before it nothing could be loaded.
fn operations(run: &RunOutput, wanted: bool) -> Vec<Target> {
    let heard = &run.announcements;
    let mut saves: BTreeMap<u64, Vec<(u32, Operation)>> = BTreeMap::new();
    for (at, announcement) in heard.iter().enumerate() {
        if let Point::Storage { save, asynchronous, .. } = &announcement.point
            && *asynchronous == wanted
            && let Some(operation) = Operation::of(announcement, &heard[..=at])
        {
            saves.entry(*save).or_default().push((announcement.rank, operation));
        }
    }
    let from = saves.keys().nth(1).or_else(|| saves.keys().next()).copied().unwrap_or_default();
    let mut most: &[(u32, Operation)] = &[];
    for operations in saves.range(from..).map(|(_, operations)| operations) {
        if operations.len() > most.len() {
            most = operations;
        }
    }
    let target = |(rank, operation): &(u32, Operation)| Target {
        rank: *rank,
        place: Place::Operation { operation: operation.clone(), asynchronous: wanted, from },
    };
    most.iter().map(target).collect()
}

fn phase(point: &Point) -> Option<(u64, &String)> {
    if let Point::Phase { step, phase } = point { Some((*step, phase)) } else { None }
}

/// The step that a point of training belongs to.
#[must_use]
pub const fn step(point: &Point) -> Option<u64> {
    match point {
        Point::Phase { step, .. } | Point::StepEnd { step } => Some(*step),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
