//! Promises of a recipe that have no trial.

use super::{Entry, Kind, Scope};
use contract::claim::{Claim, Level};
use contract::description::{Description, PartDescription};

/// What is missing: a level without repeat, golden or resume, a claim without a trial, a name that stands twice.
#[must_use]
pub fn gaps(description: &Description, entries: &[Entry]) -> Vec<String> {
    let mut gaps = Vec::new();
    for level in Level::ALL {
        for claim in [Claim::Repeat, Claim::Golden, Claim::Resume] {
            let tried = |entry: &Entry| entry.level() == Some(level) && entry.claim() == Some(claim);
            if !entries.iter().any(tried) {
                gaps.push(format!("level {level} has no trial of claim {claim}"));
            }
        }
    }
    for part in &description.parts {
        gaps.extend(part_gaps(part, entries));
    }
    let mut names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    gaps.extend(names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{} stands twice", pair[0])));
    gaps
}

fn part_gaps(part: &PartDescription, entries: &[Entry]) -> Vec<String> {
    let name = &part.part;
    let tried = |claim: Claim| {
        let of_part = |entry: &&Entry| matches!(&entry.scope, Scope::Part { part: other, .. } if other == name);
        entries.iter().filter(of_part).any(|entry| entry.claim() == Some(claim))
    };
    let mut gaps: Vec<_> = part
        .claims
        .iter()
        .filter(|claim| !tried(**claim))
        .map(|claim| format!("{name} claims {claim} and has no trial of it"))
        .collect();
    for claim in [Claim::Repeat, Claim::Golden] {
        if !part.claims.contains(&claim) {
            gaps.push(format!("{name} does not claim {claim}"));
        }
    }
    if part.stateful && !part.claims.contains(&Claim::Resume) {
        gaps.push(format!("{name} has state and does not claim resume"));
    }
    if !part.stateful && part.claims.contains(&Claim::Resume) {
        gaps.push(format!("{name} claims resume and has no state"));
    }
    for alternative in &part.alternatives {
        if !part.claims.contains(&alternative.claim) {
            gaps.push(format!("{name} has the alternative {} of a claim that it does not make", alternative.name));
        }
        if alternative.differs_in.is_empty() {
            gaps.push(format!("{name}: nothing shows that the alternative {} differs", alternative.name));
        }
    }
    if part.steps == 0 {
        gaps.push(format!("{name} has no steps"));
    }
    gaps
}

/// Whether a trial looks at a whole run, so that it means nothing when runs are cut short.
#[must_use]
pub const fn needs_whole_run(kind: &Kind) -> bool {
    matches!(kind, Kind::Golden | Kind::Census | Kind::Resume(_))
}
