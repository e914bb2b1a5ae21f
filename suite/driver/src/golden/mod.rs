//! Proposes goldens. It never touches the committed ones: what it writes are candidates in a folder of their own,
//! which `cargo xtask bless` shows, copies and enters in the ledger.

mod command;
mod propose;

#[cfg(test)]
mod tests;

pub use command::{ProposeCommand, ROWS};
pub use propose::{Change, Progress, Proposal, ProposeError, Query, propose, summary};

use contract::claim::Claim;
use contract::description::Description;
use judge::golden::Golden;
use std::collections::BTreeSet;
use std::path::Path;

/// Golden files that a recipe uses, relative to the golden folder, with `/`.
#[must_use]
pub fn used(description: &Description) -> BTreeSet<String> {
    let parts = description.parts.iter().filter(|part| part.claims.contains(&Claim::Golden));
    parts.map(|part| slashed(&Golden::name(&description.recipe, &part.part))).collect()
}

fn slashed(path: &Path) -> String {
    let names: Vec<_> = path.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    names.join("/")
}
