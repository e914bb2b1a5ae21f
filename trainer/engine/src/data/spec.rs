//! What a recipe says about its data, and which values are legal.

use super::DataError;
use serde::{Deserialize, Serialize};

/// Row lengths are multiples of this many tokens: one key-value block of attention.
pub const ROW_MULTIPLE: usize = 128;

/// Which documents of the corpus take part: a run of whole documents in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentSlice {
    /// Index of the first document.
    #[serde(default)]
    pub first: usize,
    /// Number of documents; all up to the end when absent. Never silently shortened.
    #[serde(default)]
    pub count: Option<usize>,
    /// Upper limit of the slice in bytes of text; whole documents are taken while they fit.
    #[serde(default)]
    pub bytes: Option<usize>,
}

/// The data of one run. Every field takes part in the bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSpec {
    /// `jargon`, `devil`, or the path of a UTF-8 text file.
    pub corpus: String,
    /// `bpe-4096`, or the path of a tokenizer.json.
    pub tokenizer: String,
    /// Number of tokens that the model knows; the tokenizer must have exactly as many.
    pub vocabulary: usize,
    /// The documents used.
    #[serde(default)]
    pub documents: DocumentSlice,
    /// Tokens in a row, a multiple of [`ROW_MULTIPLE`].
    pub row_tokens: usize,
    /// Rows in a step, a multiple of `leaves`.
    pub rows_per_step: usize,
    /// Leaves of a step, a power of two.
    pub leaves: usize,
    /// Key of the document order.
    pub seed: u64,
}

impl DataSpec {
    /// Checks every size that does not need the corpus.
    ///
    /// # Errors
    /// [`DataError::Spec`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), DataError> {
        let bad =
            |field, found: usize, expected: String| Err(DataError::Spec { field, found: found.to_string(), expected });
        if self.row_tokens == 0 || !self.row_tokens.is_multiple_of(ROW_MULTIPLE) {
            let expected = format!("a positive multiple of {ROW_MULTIPLE}");
            return bad("data.row_tokens", self.row_tokens, expected);
        }
        if i32::try_from(self.row_tokens).is_err() {
            return bad("data.row_tokens", self.row_tokens, "below 2^31".into());
        }
        if !self.leaves.is_power_of_two() {
            return bad("leaves", self.leaves, "a power of two".into());
        }
        if self.rows_per_step == 0 || !self.rows_per_step.is_multiple_of(self.leaves) {
            let expected = format!("a positive multiple of the {} leaves", self.leaves);
            return bad("rows_per_step", self.rows_per_step, expected);
        }
        Ok(())
    }
}
