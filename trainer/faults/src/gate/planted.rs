//! Each planted fault turns its trial red, with its verdict, at its place.

use super::LIST;
use super::trial::{Trials, Tried};
use crate::{Fault, catalogue};
use judge::Outcome;
use judge::battery::faulty::faulty;
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// What came of a planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Fate {
    /// Red, with the verdict and the place that were demanded.
    Caught,
    /// Green, or red in another way.
    Missed,
    /// Never active, so nothing was tried.
    Inert,
    /// The trial could not be made.
    Infra,
}

#[derive(Clone, Debug, Serialize)]
pub struct Planted {
    pub id: String,
    pub title: String,
    pub seen_in: String,
    pub trial: String,
    pub expected: String,
    pub found: String,
    pub place: String,
    pub activations: u64,
    pub fate: Fate,
    /// What the report says.
    pub said: String,
    pub milliseconds: u64,
}

/// The committed list as it should be: every planted fault and every comparer with a fault.
#[must_use]
pub fn listed() -> Vec<String> {
    let comparers = faulty().into_iter().map(|faulty| format!("{} self-test {}", faulty.id, faulty.misses.join(", ")));
    comparers.chain(catalogue().iter().map(Fault::line)).collect()
}

/// Lines that only one of the committed list and the catalogue has.
pub fn list_differs(root: &Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(root.join(LIST)).map_err(|error| format!("cannot read {LIST}: {error}"))?;
    let (committed, planted): (Vec<&str>, Vec<String>) = (text.lines().collect(), listed());
    let missing = committed.iter().filter(|line| !planted.iter().any(|planted| planted == *line));
    let extra = planted.iter().filter(|line| !committed.contains(&line.as_str()));
    Ok(missing.map(|line| format!("- {line}")).chain(extra.map(|line| format!("+ {line}"))).collect())
}

/// The faults that were asked for, or all.
pub fn chosen(ids: &[String]) -> Result<Vec<Fault>, String> {
    if ids.is_empty() {
        return Ok(catalogue());
    }
    ids.iter().try_for_each(|id| crate::planted(id).map(drop))?;
    Ok(catalogue().into_iter().filter(|fault| ids.iter().any(|id| id == fault.id)).collect())
}

pub fn run(trials: &Trials, faults: &[Fault]) -> Vec<Planted> {
    faults.par_iter().with_max_len(1).map(|fault| one(trials, fault)).collect()
}

fn one(trials: &Trials, fault: &Fault) -> Planted {
    let mut planted = Planted {
        id: fault.id.to_owned(),
        title: fault.title.to_owned(),
        seen_in: fault.seen_in.to_owned(),
        trial: fault.trial.to_owned(),
        expected: fault.verdict.to_string(),
        found: String::new(),
        place: fault.place.to_owned(),
        activations: 0,
        fate: Fate::Infra,
        said: String::new(),
        milliseconds: 0,
    };
    match trials.run(fault.id, fault.trial, Some(fault.id), trials.seed) {
        Err(message) => planted.said = message,
        Ok(Tried { outcome, activations, milliseconds, folder }) => {
            planted.said = said(&outcome);
            planted.found = outcome.verdict.to_string();
            planted.fate = if activations == 0 {
                Fate::Inert
            } else if outcome.verdict == fault.verdict && planted.said.contains(fault.place) {
                // The evidence of a fault that was noticed is not needed any more.
                let _kept = std::fs::remove_dir_all(folder);
                Fate::Caught
            } else {
                Fate::Missed
            };
            (planted.activations, planted.milliseconds) = (activations, milliseconds);
        }
    }
    eprintln!("{} {:?}: {}", planted.id, planted.fate, planted.said.lines().next().unwrap_or_default());
    planted
}

/// What a report says of the place. The trial's own name is left out: it would name the room in any case.
fn said(outcome: &Outcome) -> String {
    let mut lines = vec![outcome.message.replace(&outcome.trial, "")];
    if let Some(divergence) = &outcome.divergence {
        lines.push(divergence.place());
        lines.extend(divergence.op.clone());
        lines.push(divergence.cause.clone());
    }
    lines.extend(outcome.facts.iter().cloned());
    lines.join("\n")
}
