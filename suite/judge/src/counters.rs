//! Did a pair really differ? The counters of both runs must say so.

use contract::claim::Claim;
use contract::run::CountersFile;
use contract::verdict::Verdict;

use crate::outcome::Outcome;

/// INVALID unless every counter of `differs_in` stands in both files with different values. (Different values also
/// mean that not both are zero.) A list without names proves nothing and is INVALID.
#[must_use]
pub fn pair_differs(
    claim: Claim,
    trial: &str,
    plain: &CountersFile,
    other: &CountersFile,
    differs_in: &[String],
) -> Outcome {
    let invalid = |message: String| Outcome::new(Verdict::Invalid, claim, trial, message);
    if differs_in.is_empty() {
        return invalid("no counter is named that shows how the pair differs".to_owned());
    }
    let mut facts = Vec::new();
    for name in differs_in {
        match (plain.counters.get(name), other.counters.get(name)) {
            (Some(0), Some(0)) => return invalid(format!("counter `{name}` is zero on both sides: nothing happened")),
            (Some(a), Some(b)) if a == b => {
                return invalid(format!("counter `{name}` is {a} on both sides: the pair is one run made twice"));
            }
            (Some(a), Some(b)) => facts.push(format!("`{name}` is {a} in the plain run and {b} in the other")),
            (None, _) => return invalid(format!("the plain run has no counter `{name}`")),
            (_, None) => return invalid(format!("the other run has no counter `{name}`")),
        }
    }
    let mut outcome = Outcome::new(Verdict::Pass, claim, trial, "the two runs really differ");
    outcome.facts = facts;
    outcome
}

#[cfg(test)]
mod tests;
