//! A recipe as the suite sees it: `semantics` belongs to the trainer, the rest is typed here.

use crate::canonical;
use crate::claim::Claim;
use crate::execution::{Execution, Observe};
use serde::{Deserialize, Serialize};

/// A recipe file. Unknown keys are errors, with line and column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeFile<Semantics> {
    /// Equal to the file's stem.
    pub name: String,
    /// One sentence for `lockstep recipes`.
    pub about: String,
    pub semantics: Semantics,
    pub execution: Execution,
    #[serde(default)]
    pub observe: Observe,
    pub claims: Vec<Claim>,
}

impl<Semantics: Serialize> RecipeFile<Semantics> {
    /// BLAKE3 of the canonical bytes of `semantics`: what the bits depend on and nothing else.
    #[must_use]
    pub fn digest(&self) -> String {
        canonical::digest(&serde_json::to_value(&self.semantics).expect("semantics are plain data"))
    }
}

/// The known word nearest to `word`, for error messages; `None` when nothing is near.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.len() / 2))
        .min()
        .map(|(_, candidate)| candidate)
}
