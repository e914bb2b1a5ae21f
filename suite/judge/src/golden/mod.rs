//! Golden files: the bits that were committed, as text that a person can review.
//!
//! One file for each part of a recipe (`golden/RECIPE/PART.snap`) and for each room (`golden/ROOM/cases.snap`), in the
//! layout of an insta text snapshot, so that `cargo insta review` shows a pending one. The body has one line a value:
//!
//! | part | line |
//! | --- | --- |
//! | kernel | `CASE/TENSOR in|out DTYPE SHAPE FINGERPRINT` |
//! | others, every step | `STEP scalar NAME BITS` |
//! | others, every step | `STEP all-state BLAKE3` over the step's state lines |
//! | module every step, end-to-end last step | `STEP SECTION/LEAF DTYPE SHAPE FINGERPRINT` |
//!
//! A golden is keyed by the contracts that its bits come from and, but for rooms, by the recipe digest. One that an
//! opaque contract took part in also keeps the environment, and makes the weaker claim. This module reads and renders;
//! it never writes a file.

mod compare;
mod file;
mod lines;

pub use compare::{compare, read_or_outcome};
pub use file::GoldenError;

use crate::audit::audit;
use crate::evidence::{EvidenceError, Run, read_env};
use contract::request::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Contracts whose bits are not ours to define start with this.
pub const OPAQUE: &str = "opaque.";

/// A golden file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    pub info: Info,
    /// One value a line.
    pub lines: Vec<String>,
}

/// What a golden is keyed by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Info {
    /// The recipe; in a kernel part the room.
    pub of: String,
    pub part: Part,
    /// `None` in kernel parts: a room does not depend on a recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_digest: Option<String>,
    /// In ascending order.
    pub contracts: Vec<String>,
    /// Where it was made, when an opaque contract took part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<BTreeMap<String, String>>,
}

impl Golden {
    /// Where the golden of a part lies under the golden folder: `rmsnorm/cases.snap`, `dense/end_to_end.snap`,
    /// `dense/attention_block.snap`.
    #[must_use]
    pub fn name(recipe: &str, part: &Part) -> PathBuf {
        match part {
            Part::Kernel(room) => Path::new(room).join("cases.snap"),
            Part::Module(name) => Path::new(recipe).join(format!("{name}.snap")),
            Part::EndToEnd => Path::new(recipe).join("end_to_end.snap"),
        }
    }

    /// The golden that a run would make. `contracts` are those of the part's description; contracts that the trace
    /// names are added.
    ///
    /// # Errors
    /// When the run is no evidence.
    pub fn from_trace(run: &Path, contracts: &[String]) -> Result<Self, EvidenceError> {
        audit(run)?;
        let mut run = Run::open(run)?;
        let collected = lines::collect(&mut run)?;
        let mut all: Vec<String> = contracts.iter().cloned().chain(collected.contracts).collect();
        all.sort();
        all.dedup();
        let environment = match all.iter().any(|contract| contract.starts_with(OPAQUE)) {
            true => Some(read_env(&run.directory)?.values),
            false => None,
        };
        let kernel = matches!(run.file.part, Part::Kernel(_));
        let info = Info {
            of: match &run.file.part {
                Part::Kernel(room) => room.clone(),
                _ => run.file.recipe.clone(),
            },
            part: run.file.part.clone(),
            recipe_digest: (!kernel).then(|| run.file.recipe_digest.clone()),
            contracts: all,
            environment,
        };
        Ok(Self { info, lines: collected.lines })
    }
}

#[cfg(test)]
mod tests;
