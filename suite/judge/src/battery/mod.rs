//! What every comparer must notice, as crafted runs on disk.
//!
//! A judge that always says PASS is green everywhere, so the judge itself is tried: each [`Case`] writes two small
//! runs, puts them before a [`Comparer`] and knows the only right answer. The comparer of the suite passes all of
//! them; a comparer with a known fault (a threshold, a retry, an order-blind sum, an empty log taken for agreement)
//! fails at least one. Some cases must be green: a comparer that always says red is no better.

mod cases;
pub mod craft;
mod evidence;
pub mod faulty;

use crate::compare::Comparer;
use crate::outcome::Outcome;
use contract::verdict::Verdict;
use std::io;
use std::path::Path;

/// One crafted situation.
pub struct Case {
    pub name: &'static str,
    pub expected: Verdict,
    /// What the outcome must name.
    pub names: &'static [&'static str],
    run: fn(&dyn Comparer, &Path) -> io::Result<Outcome>,
}

/// A case that a comparer got wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    pub case: &'static str,
    pub expected: Verdict,
    pub found: Verdict,
    /// The first word that the outcome should have named and did not; `None` when the verdict itself is wrong.
    pub unnamed: Option<&'static str>,
    pub message: String,
}

/// All cases. Their names are unique.
#[must_use]
pub fn cases() -> Vec<Case> {
    cases::all().into_iter().chain(evidence::all()).collect()
}

/// Puts a comparer through all cases, in folders under `scratch`, which must be empty. A sound comparer misses none.
///
/// # Errors
/// When the runs cannot be written.
pub fn self_test(comparer: &dyn Comparer, scratch: &Path) -> io::Result<Vec<Missed>> {
    let mut missed = Vec::new();
    for (index, case) in cases().into_iter().enumerate() {
        let folder = scratch.join(format!("{index:02}"));
        std::fs::create_dir(&folder)?;
        let outcome = (case.run)(comparer, &folder)?;
        let said = said(&outcome);
        let unnamed = case.names.iter().copied().find(|name| !said.contains(name));
        let wrong = outcome.verdict != case.expected;
        if wrong || unnamed.is_some() {
            missed.push(Missed {
                case: case.name,
                expected: case.expected,
                found: outcome.verdict,
                unnamed: unnamed.filter(|_| !wrong),
                message: said,
            });
        }
    }
    Ok(missed)
}

/// Everything that an outcome says.
fn said(outcome: &Outcome) -> String {
    let mut said = outcome.message.clone();
    if let Some(divergence) = &outcome.divergence {
        for text in [&divergence.place(), &divergence.left, &divergence.right, &divergence.cause] {
            said.push('\n');
            said.push_str(text);
        }
        said.push_str(divergence.op.as_deref().unwrap_or_default());
    }
    said
}
