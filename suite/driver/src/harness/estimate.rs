//! What a call will take, roughly: a person wants to know before a long one.

use crate::catalogue::{Entry, Extent, Kind, Resume, Scope};
use crate::report::Estimate;
use contract::description::{Description, PartDescription};
use contract::request::Part;
use std::collections::BTreeSet;

/// Multiply-adds in a second that a small recipe reaches with everything around it on two cores. An estimate needs no
/// better number.
const RATE: u64 = 4_000_000_000;
/// A module is about this part of a recipe's step.
const MODULES: u64 = 8;
/// Milliseconds to start a process and build its plan.
const START: u64 = 150;
/// Checkpoints that a run has on its disk at a time, at most.
const SAVES: u64 = 4;
/// Kernel parts do not say how large they are; their cases are small.
const CASE_MACS: u64 = 2_000_000;

/// Estimates the trials of one call.
pub fn estimate<'a>(entries: impl Iterator<Item = &'a Entry>, descriptions: &[Description]) -> Estimate {
    let mut total = Estimate { seconds: 0, disk_bytes: 0, runs: 0 };
    let mut milliseconds = 0;
    let mut seen = BTreeSet::new();
    for entry in entries {
        let Scope::Part { part, kind } = &entry.scope else { continue };
        let description = descriptions.iter().find(|description| description.recipe == entry.recipe);
        let Some((description, part)) = description.and_then(|found| Some((found, find(found, part)?))) else {
            continue;
        };
        let macs = match part.part {
            Part::Kernel(_) => CASE_MACS,
            Part::Module(_) => description.step_macs / MODULES,
            Part::EndToEnd => description.step_macs,
        };
        let whole = START + macs.saturating_mul(part.steps) / (RATE / 1000);
        let extent = Extent::of(description, part);
        let mut work = work(kind, part, extent, description.phases.len() as u64);
        // The plain run of a part is made once for all of its trials.
        work.whole_runs += u64::from(seen.insert((&entry.recipe, &part.part)));
        milliseconds += work.whole_runs * whole + work.starts * START;
        total.runs += work.whole_runs + work.starts;
        if part.part == Part::EndToEnd {
            let folders = if matches!(kind, Kind::Resume(_)) { 3 } else { work.whole_runs };
            total.disk_bytes += folders * SAVES * description.checkpoint_bytes;
        }
    }
    total.seconds = milliseconds.div_ceil(1000);
    total
}

fn find<'a>(description: &'a Description, part: &Part) -> Option<&'a PartDescription> {
    description.parts.iter().find(|candidate| candidate.part == *part)
}

/// Whole runs, and processes that do only little.
struct Work {
    whole_runs: u64,
    starts: u64,
}

fn work(kind: &Kind, part: &PartDescription, extent: Extent, phases: u64) -> Work {
    let (whole_runs, starts) = match kind {
        Kind::Golden => (0, 0),
        Kind::Repeat | Kind::Alternative(_) | Kind::Census => (1, 1),
        Kind::Reference => (3, 0),
        Kind::Resume(Resume::Steps) => (3, extent.pick((2, 1)) * part.steps + phases),
        Kind::Resume(Resume::Save | Resume::AsynchronousSave) => (2, extent.pick((40, 10))),
        Kind::Resume(Resume::Random) => extent.pick(((12, 12), (4, 4))),
        Kind::Resume(Resume::CrashStates) => (1, extent.pick((400, 60))),
        Kind::Resume(Resume::StorageErrors) => extent.pick(((4, 32), (2, 8))),
    };
    Work { whole_runs, starts }
}
