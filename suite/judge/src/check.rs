//! Claim `reference`: every tensor that was compared with an independent reference is within its bound.

use crate::evidence::{EvidenceError, Run, hollow};
use crate::outcome::{Counts, Outcome};
use contract::claim::Claim;
use contract::record::Body;
use contract::verdict::Verdict;
use std::collections::BTreeMap;
use std::path::Path;

/// Error, in thousandths of the bound, that is still within it.
const BOUND: u64 = 1000;

/// Judges the `check` records of a run. WRONG names the tensor and the case of the worst one. INVALID when there is no
/// record, or a tensor of which no element was ever compared.
#[must_use]
pub fn check(trial: &str, run: &Path) -> Outcome {
    judge(trial, run).unwrap_or_else(|error| Outcome::invalid(Claim::Reference, trial, &error))
}

fn judge(trial: &str, directory: &Path) -> Result<Outcome, EvidenceError> {
    let mut run = Run::open(directory)?;
    let mut elements_of: BTreeMap<String, u64> = BTreeMap::new();
    let mut worst: Option<(u64, String)> = None;
    let mut counts = Counts { ranks: run.ranks.len() as u64, ..Counts::default() };
    let mut wrong = 0;
    for reader in &mut run.ranks {
        for index in 0..reader.entries().len() {
            let frame = reader.frame(index)?;
            counts.frames_unpacked += 1;
            for record in &frame.records {
                let Body::Check { name, elements, worst_thousandths } = &record.body else { continue };
                counts.items += 1;
                wrong += u64::from(*worst_thousandths > BOUND);
                *elements_of.entry(name.clone()).or_default() += elements;
                if worst.as_ref().is_none_or(|(old, _)| worst_thousandths > old) {
                    worst = Some((
                        *worst_thousandths,
                        format!("`{name}` in case `{}` (step {})", record.phase, record.step),
                    ));
                }
            }
        }
    }
    let Some((thousandths, place)) = worst else { return Err(hollow(directory, "it has no check record")) };
    if let Some((name, _)) = elements_of.iter().find(|(_, elements)| **elements == 0) {
        return Err(hollow(directory, format!("no element of `{name}` was ever checked")));
    }
    let elements: u64 = elements_of.values().sum();
    let error = format!("{}.{:03} of the bound, {place}", thousandths / 1000, thousandths % 1000);
    let mut outcome = if thousandths > BOUND {
        Outcome::new(Verdict::Wrong, Claim::Reference, trial, format!("{wrong} checks fail; the worst is {error}"))
    } else {
        Outcome::new(Verdict::Pass, Claim::Reference, trial, Verdict::Pass.sentence())
    };
    outcome.facts.push(format!("{elements} elements of {} tensors checked; largest error {error}", elements_of.len()));
    Ok(outcome.counted(counts))
}

#[cfg(test)]
mod tests;
