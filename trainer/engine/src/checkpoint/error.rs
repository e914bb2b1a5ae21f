//! What can be wrong with a checkpoint, in words that say where and what to do.

use crate::storage::StorageError;
use contract::pointer::Pointer;
use library::tensor::Spec;
use std::path::PathBuf;
use thiserror::Error;

/// One fact about a save that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    #[error("the folder {directory} is missing")]
    FolderMissing { directory: String },
    #[error("{file} is missing")]
    FileMissing { file: String },
    #[error("{file} is extra: the manifest does not name it")]
    FileExtra { file: String },
    #[error("manifest.json was altered: expected BLAKE3 {expected} (latest.json), found {found}")]
    ManifestAltered { expected: String, found: String },
    #[error("manifest.json is no manifest: {message}")]
    ManifestInvalid { message: String },
    #[error("manifest.json is of step {found}, expected step {expected}")]
    OtherStep { expected: u64, found: u64 },
    #[error("{file} is torn: expected {expected} bytes, found {found}")]
    ShardTorn { file: String, expected: u64, found: u64 },
    #[error("{file} was altered: expected BLAKE3 {expected} (manifest.json), found {found}")]
    ShardAltered { file: String, expected: String, found: String },
    #[error("{file} is no safetensors file: {message}")]
    ShardInvalid { file: String, message: String },
    #[error("leaf `{leaf}` is missing in {place}")]
    LeafMissing { leaf: String, place: String },
    #[error("leaf `{leaf}` is extra in {place}")]
    LeafExtra { leaf: String, place: String },
    #[error("leaf `{leaf}` is {found} in {place}, expected {expected}")]
    LeafSpec { leaf: String, expected: Spec, found: Spec, place: String },
    #[error("leaf `{leaf}` was altered: expected fingerprint {expected} (manifest.json), found {found} in {place}")]
    LeafAltered { leaf: String, expected: String, found: String, place: String },
}

/// Why a state could not be saved or loaded.
#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("the state cannot be saved: {message}")]
    State { message: String },
    #[error(
        "{} is no pointer: {message}\n  expected: the name and manifest digest of the newest save\n  do: `lockstep verify` shows the saves; name one explicitly with `--from`",
        path.display()
    )]
    PointerInvalid { path: PathBuf, message: String },
    #[error(
        "{} is missing, but there are {} complete saves\n  expected: a pointer to the newest\n  found: {}\n  do: name one explicitly: `--from {}`, or empty the directory to start from step 0",
        path.display(), saves.len(), saves.join(", "), saves.last().map_or("", String::as_str)
    )]
    PointerMissing { path: PathBuf, saves: Vec<String> },
    #[error(
        "{}: the schema is {found}, this trainer knows {known}\n  do: use the trainer that wrote it, or a newer one",
        path.display()
    )]
    Schema { path: PathBuf, found: u32, known: u32 },
    #[error("the newest save {} is damaged{}\n  do: {}", path.display(), lines(problems), fallback(older.as_ref()))]
    Damaged { path: PathBuf, problems: Vec<Problem>, older: Option<String> },
    #[error(
        "the save {} is of another recipe\n  expected: {expected} with digest {expected_digest}\n  found: {found} with digest {found_digest}\n  do: use the recipe of the save, or an empty checkpoint directory",
        path.display()
    )]
    OtherRecipe { path: PathBuf, expected: String, expected_digest: String, found: String, found_digest: String },
    #[error(
        "the save {} does not fit the recipe{}\n  do: use the trainer that wrote it, or an empty checkpoint directory",
        path.display(),
        lines(problems)
    )]
    Leaves { path: PathBuf, problems: Vec<Problem> },
    #[error(
        "there is no complete save `{directory}` in {}{}\n  do: `lockstep verify` shows the saves",
        root.display(),
        lines(problems)
    )]
    NoSuchSave { root: PathBuf, directory: String, problems: Vec<Problem> },
    #[error(
        "step {step} cannot be saved: {} already holds the newer save of step {newest}\n  do: resume from it, or use an empty checkpoint directory",
        root.display()
    )]
    NotNewer { root: PathBuf, step: u64, newest: u64 },
    #[error(
        "step {step} was saved before with other bytes\n  expected: manifest BLAKE3 {saved} ({})\n  found: {now}\n  do: the run did not repeat itself; compare the two runs",
        root.display()
    )]
    Diverged { root: PathBuf, step: u64, saved: String, now: String },
    #[error("step {} is saved and committed, but older saves could not be removed\n  {source}", pointer.step)]
    Retention { pointer: Pointer, source: Box<CheckpointError> },
    #[error(
        "the save {} is committed and differs from what was written{}\n  do: check the device; older saves were kept",
        path.display(),
        lines(problems)
    )]
    Unproven { path: PathBuf, problems: Vec<Problem> },
    #[error("the thread that saves step {step} ended by a panic\n  do: resume from the newest committed checkpoint")]
    Worker { step: u64 },
    #[error("nothing more can be saved: an earlier save ended by a panic")]
    Ended,
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n  found: {problem}")).collect()
}

fn fallback(older: Option<&String>) -> String {
    match older {
        Some(older) => format!(
            "the newest older complete save is {older}; to go on from it, name it explicitly: `--from {older}` (the steps after it are repeated)"
        ),
        None => "no older complete save exists: restore the directory from a copy, or empty it to start from step 0"
            .to_owned(),
    }
}
