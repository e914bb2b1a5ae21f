//! Everything that can go wrong between a corpus file and a batch.
//!
//! One fact a line: what was expected, what was found, where, and what to do next.

use std::path::PathBuf;

/// Why a data set could not be opened, verified or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// A field of the specification has a value that no data set can have.
    #[error(
        "data: {field} cannot be used\n  expected: {expected}\n  found: {found}\n  do: change {field} in the recipe"
    )]
    Spec { field: &'static str, found: String, expected: String },
    /// The corpus file cannot be read.
    #[error(
        "data: cannot read the corpus {}\n  expected: a UTF-8 text file, or one of the built-in names: jargon, devil\n  found: {cause}\n  do: correct data.corpus in the recipe",
        path.display()
    )]
    MissingCorpus { path: PathBuf, cause: String },
    /// The tokenizer file cannot be read.
    #[error(
        "data: cannot read the tokenizer {}\n  expected: a tokenizer.json file, or the built-in name bpe-4096\n  found: {cause}\n  do: correct data.tokenizer in the recipe",
        path.display()
    )]
    MissingTokenizer { path: PathBuf, cause: String },
    /// The corpus holds no document.
    #[error(
        "data: the corpus {corpus} is empty\n  expected: at least one document (a line that is not indented and follows a blank line starts one)\n  found: {bytes} bytes and no document\n  do: use a corpus with text"
    )]
    EmptyCorpus { corpus: String, bytes: usize },
    /// The slice of documents that the recipe asks for is empty or outside the corpus.
    #[error(
        "data: the slice of {corpus} is not there\n  expected: a slice of at least one document inside the {available} of the corpus\n  found: {asked}\n  do: change data.documents in the recipe"
    )]
    EmptySlice { corpus: String, asked: String, available: usize },
    /// The corpus is not UTF-8.
    #[error(
        "data: the corpus {corpus} is not UTF-8\n  expected: UTF-8 text\n  found: a bad sequence at byte {offset}\n  do: convert the file, for example with iconv"
    )]
    NotUtf8 { corpus: String, offset: usize },
    /// The tokenizer file is readable but is not a usable tokenizer.
    #[error(
        "data: the tokenizer {tokenizer} cannot be used\n  expected: a tokenizer.json with the tokens <|end|> and <|pad|>\n  found: {cause}\n  do: use bpe-4096, or add the two tokens to the file"
    )]
    BadTokenizer { tokenizer: String, cause: String },
    /// The tokenizer and the model disagree about the number of tokens.
    #[error(
        "data: the tokenizer {tokenizer} has another vocabulary than the model\n  expected: {expected} tokens (the recipe's vocabulary)\n  found: {found} tokens\n  do: change the vocabulary or the tokenizer in the recipe"
    )]
    Vocabulary { tokenizer: String, expected: usize, found: usize },
    /// A text that is compiled into the binary is not the one that was released.
    #[error(
        "data: the built-in asset {asset} was altered\n  expected: BLAKE3 {expected}\n  found: BLAKE3 {found}\n  do: restore trainer/engine/data from the repository and build again"
    )]
    AlteredAsset { asset: &'static str, expected: String, found: String },
    /// A document could not be encoded.
    #[error(
        "data: document {document} of {corpus} cannot be encoded\n  expected: token ids\n  found: {cause}\n  do: check the tokenizer file"
    )]
    Encode { corpus: String, document: usize, cause: String },
    /// A saved position belongs to other data.
    #[error(
        "data: the saved data state does not fit this run: {field} differs\n  expected: {expected} (saved)\n  found: {found} (this run)\n  do: {advice}"
    )]
    State { field: &'static str, expected: String, found: String, advice: &'static str },
    /// A step that the random-number contract cannot number.
    #[error(
        "data: step {step} is out of range\n  expected: a step below {limit}\n  do: check the checkpoint or the number of steps"
    )]
    StepOutOfRange { step: u64, limit: u64 },
    /// More held-out tokens were asked for than the corpus slice holds.
    #[error(
        "data: the held-out slice is too short\n  expected: {asked} rows for evaluation\n  found: {available} rows\n  do: ask for fewer evaluation tokens or a larger slice"
    )]
    HeldOutTooShort { asked: usize, available: usize },
    /// A prefetch thread stopped.
    #[error(
        "data: prefetch stopped at step {step}\n  expected: a batch\n  found: {cause}\n  do: read the cause; the batches before this step were delivered"
    )]
    Prefetch { step: u64, cause: String },
}
