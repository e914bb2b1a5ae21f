//! Claim `census`: the live state and the checkpoint hold the same leaves with the same bytes, and nothing else.

use crate::divergence::{Divergence, Kind};
use crate::evidence::{EvidenceError, Run, hollow};
use crate::outcome::{Counts, Outcome};
use crate::steps::{Key, Steps};
use contract::claim::Claim;
use contract::verdict::Verdict;
use fingerprint::Fingerprint;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// One leaf of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// `section/leaf`.
    pub leaf: String,
    pub dtype: String,
    pub shape: Vec<u64>,
    pub fingerprint: Fingerprint,
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.dtype, crate::steps::shape_text(&self.shape), self.fingerprint)
    }
}

/// The state that a run had after attempted step `step`; with `restored`, the state right after it had loaded a
/// checkpoint with that step behind it.
///
/// # Errors
/// When the run is not whole, or recorded no state there.
pub fn live(directory: &Path, step: u64, restored: bool) -> Result<Vec<Leaf>, EvidenceError> {
    let mut run = Run::open(directory)?;
    let mut steps = Steps::new(&mut run, false);
    while let Some(found) = steps.next_step()? {
        let items = if restored { &found.restored } else { &found.items };
        if found.step != step || !items.keys().any(|key| matches!(key, Key::State(_))) {
            continue;
        }
        let leaf = |(key, (value, _)): (&Key, &(crate::steps::Value, usize))| match key {
            Key::State(leaf) => Some(Leaf {
                leaf: leaf.clone(),
                dtype: value.dtype.clone(),
                shape: value.shape.clone(),
                fingerprint: value.bits.parse().expect("the trace holds fingerprints"),
            }),
            _ => None,
        };
        return Ok(items.iter().filter_map(leaf).collect());
    }
    Err(hollow(directory, format!("it recorded no state at step {step}")))
}

/// Compares live state with a checkpoint's list of leaves. CENSUS_GAP names the first leaf that is missing, extra,
/// altered or listed twice, or the section of `sections` that is empty. INVALID when nothing is live.
#[must_use]
pub fn census(trial: &str, step: u64, live: &[Leaf], saved: &[Leaf], sections: &[String]) -> Outcome {
    if live.is_empty() {
        return Outcome::new(Verdict::Invalid, Claim::Census, trial, "no live state was recorded");
    }
    let counts = Counts { items: live.len() as u64, steps: 1, ranks: 1, ..Counts::default() };
    match gap(step, live, saved, sections) {
        None => Outcome::new(Verdict::Pass, Claim::Census, trial, Verdict::Pass.sentence()),
        Some((message, divergence)) => Outcome::new(Verdict::CensusGap, Claim::Census, trial, message).at(divergence),
    }
    .counted(counts)
}

fn gap(step: u64, live: &[Leaf], saved: &[Leaf], sections: &[String]) -> Option<(String, Divergence)> {
    for (leaves, side) in [(live, "live state"), (saved, "checkpoint")] {
        let mut names: Vec<_> = leaves.iter().map(|leaf| &leaf.leaf).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("leaf `{}` stands twice in the {side}", twice[0]);
            return Some((message, divergence(step, Kind::Missing, twice[0], "once".into(), "twice".into())));
        }
        for section in sections {
            if !names.iter().any(|name| name.split_once('/').is_some_and(|(first, _)| first == section)) {
                let message = format!("section `{section}` of the {side} is empty");
                let name = format!("{section}/");
                return Some((message, divergence(step, Kind::Missing, &name, "a leaf".into(), "absent".into())));
            }
        }
    }
    let saved_by_name: BTreeMap<_, _> = saved.iter().map(|leaf| (&leaf.leaf, leaf)).collect();
    for leaf in live {
        match saved_by_name.get(&leaf.leaf) {
            None => {
                let message = format!("leaf `{}` is live and not in the checkpoint", leaf.leaf);
                let found = divergence(step, Kind::Missing, &leaf.leaf, leaf.to_string(), "absent".into());
                return Some((message, found));
            }
            Some(saved) if *saved != leaf => {
                let message = format!("leaf `{}` of the checkpoint is not the live one", leaf.leaf);
                return Some((message, divergence(step, Kind::State, &leaf.leaf, leaf.to_string(), saved.to_string())));
            }
            Some(_) => {}
        }
    }
    let extra = saved.iter().find(|saved| !live.iter().any(|leaf| leaf.leaf == saved.leaf))?;
    let message = format!("leaf `{}` is in the checkpoint and not live", extra.leaf);
    Some((message, divergence(step, Kind::Missing, &extra.leaf, "absent".into(), extra.to_string())))
}

/// A divergence of state: `left` is live or uninterrupted, `right` is saved or resumed.
pub(crate) fn divergence(step: u64, kind: Kind, name: &str, left: String, right: String) -> Divergence {
    Divergence {
        kind,
        step,
        rank: 0,
        phase: "state".to_owned(),
        node: None,
        module: None,
        op: None,
        contract: None,
        variant: None,
        name: name.to_owned(),
        role: None,
        index: None,
        dtype: None,
        shape: None,
        inputs_equal: None,
        left,
        right,
        cause: "the list of what is saved, or when it is copied, is not that of what lives".to_owned(),
        producer: None,
        elements: None,
    }
}

/// Compares two files byte for byte, as save → load → save demands. CENSUS_GAP names the first differing byte;
/// INVALID when a file cannot be read, both paths are one file, or the files are empty.
#[must_use]
pub fn same_bytes(trial: &str, left: &Path, right: &Path) -> Outcome {
    let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Census, trial, message);
    match first_difference(left, right) {
        Err(message) => outcome(Verdict::Invalid, message),
        Ok((0, None)) => outcome(Verdict::Invalid, format!("{} is empty", left.display())),
        Ok((bytes, None)) => {
            let mut pass = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned());
            pass.facts.push(format!("{bytes} bytes compared"));
            pass
        }
        Ok((_, Some(at))) => {
            outcome(Verdict::CensusGap, format!("{} and {} differ first at byte {at}", left.display(), right.display()))
        }
    }
}

fn first_difference(left: &Path, right: &Path) -> Result<(u64, Option<u64>), String> {
    let resolve = |path: &Path| path.canonicalize().map_err(|error| format!("cannot read {}: {error}", path.display()));
    if resolve(left)? == resolve(right)? {
        return Err(format!("{} was compared with itself", left.display()));
    }
    let open = |path: &Path| {
        File::open(path).map(BufReader::new).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let (mut a, mut b) = (open(left)?.bytes(), open(right)?.bytes());
    let mut at = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ok((at, None)),
            (Some(Ok(x)), Some(Ok(y))) if x == y => at += 1,
            (Some(Err(error)), _) | (_, Some(Err(error))) => return Err(error.to_string()),
            _ => return Ok((at, Some(at))),
        }
    }
}

#[cfg(test)]
mod tests;
