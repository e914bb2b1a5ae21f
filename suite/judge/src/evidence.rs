//! Opens what runs left behind and refuses pairs that prove nothing.
//!
//! It checks that a run is whole (every rank, to its `end` record) and that a pair is a pair: two runs, of one recipe
//! and one part. It does not look at the records; [`crate::audit`] does.

use contract::SCHEMA;
use contract::claim::Claim;
use contract::run::{CountersFile, EnvFile, RunFile};
use contract::trace::{Completeness, TraceError, TraceReader, index_path, records_path};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why something is no evidence.
#[derive(Debug, Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error("{path}: {message}")]
    File { path: PathBuf, message: String },
    #[error("{path}: rank {rank} of {ranks} has no trace")]
    MissingRank { path: PathBuf, rank: u32, ranks: u32 },
    #[error("{path}: there is a trace of rank {rank}, `run.json` says {ranks} ranks")]
    ExtraRank { path: PathBuf, rank: u32, ranks: u32 },
    #[error("the pair proves nothing: {0}")]
    Pair(String),
    #[error("{path} is no evidence: {message}")]
    Hollow { path: PathBuf, message: String },
}

/// A complete run: its `run.json` and a reader for each rank.
pub struct Run {
    pub directory: PathBuf,
    pub file: RunFile,
    pub ranks: Vec<TraceReader>,
}

impl Run {
    /// Opens a complete run.
    ///
    /// # Errors
    /// When a file is missing or of another schema, a rank is missing or too many, or a trace is not whole.
    pub fn open(directory: &Path) -> Result<Self, EvidenceError> {
        let file = read_run(directory)?;
        let mut ranks = Vec::new();
        for rank in 0..file.ranks {
            if !records_path(directory, rank).exists() && !index_path(directory, rank).exists() {
                return Err(EvidenceError::MissingRank { path: directory.to_owned(), rank, ranks: file.ranks });
            }
            ranks.push(TraceReader::open(directory, rank, Completeness::Complete)?);
        }
        if ranks.is_empty() {
            return Err(hollow(directory, "it has no rank"));
        }
        if records_path(directory, file.ranks).exists() {
            let (rank, ranks) = (file.ranks, file.ranks);
            return Err(EvidenceError::ExtraRank { path: directory.to_owned(), rank, ranks });
        }
        Ok(Self { directory: directory.to_owned(), file, ranks })
    }

    /// Opens what a killed run left: whole frames only, and none at all when it was killed before its first.
    ///
    /// # Errors
    /// When files that exist hold something else than the beginning of a run.
    pub fn open_killed(directory: &Path) -> Result<Option<Self>, EvidenceError> {
        if !directory.join(RUN).exists() {
            return Ok(None);
        }
        let file = read_run(directory)?;
        let mut ranks = Vec::new();
        for rank in 0..file.ranks {
            if records_path(directory, rank).exists() && index_path(directory, rank).exists() {
                ranks.push(TraceReader::open(directory, rank, Completeness::Killed)?);
            }
        }
        Ok(Some(Self { directory: directory.to_owned(), file, ranks }))
    }
}

const RUN: &str = "run.json";

/// Reads `run.json` of a trace directory.
///
/// # Errors
/// When it is missing, not valid, or of another schema.
pub fn read_run(directory: &Path) -> Result<RunFile, EvidenceError> {
    let file: RunFile = read(&directory.join(RUN))?;
    known(&directory.join(RUN), file.schema)?;
    Ok(file)
}

/// Reads `counters.json` of a trace directory.
///
/// # Errors
/// As [`read_run`].
pub fn read_counters(directory: &Path) -> Result<CountersFile, EvidenceError> {
    let path = directory.join("counters.json");
    let file: CountersFile = read(&path)?;
    known(&path, file.schema)?;
    Ok(file)
}

/// Reads `env.json` of a trace directory; a run without one has no values.
///
/// # Errors
/// When it exists and is not valid or of another schema.
pub fn read_env(directory: &Path) -> Result<EnvFile, EvidenceError> {
    let path = directory.join("env.json");
    if !path.exists() {
        return Ok(EnvFile { schema: SCHEMA, ..EnvFile::default() });
    }
    let file: EnvFile = read(&path)?;
    known(&path, file.schema)?;
    Ok(file)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, EvidenceError> {
    let broken = |message: String| EvidenceError::File { path: path.to_owned(), message };
    let bytes = std::fs::read(path).map_err(|error| broken(format!("cannot be read: {error}")))?;
    serde_json::from_slice(&bytes).map_err(|error| broken(format!("is not valid: {error}")))
}

fn known(path: &Path, schema: u32) -> Result<(), EvidenceError> {
    if schema == SCHEMA {
        return Ok(());
    }
    Err(EvidenceError::File {
        path: path.to_owned(),
        message: format!("schema {schema} is unknown; this suite knows {SCHEMA}"),
    })
}

pub(crate) fn hollow(path: &Path, message: impl Into<String>) -> EvidenceError {
    EvidenceError::Hollow { path: path.to_owned(), message: message.into() }
}

/// Checks that two runs are two, and two of one thing.
///
/// # Errors
/// When they have one nonce, or differ in recipe, recipe digest or part, or (claim `repeat`) in their executable.
pub fn check_pair(claim: Claim, left: &RunFile, right: &RunFile) -> Result<(), EvidenceError> {
    let other = |what: &str, a: &dyn std::fmt::Display, b: &dyn std::fmt::Display| {
        Err(EvidenceError::Pair(format!("{what} differ: `{a}` and `{b}`")))
    };
    if left.nonce == right.nonce {
        return Err(EvidenceError::Pair(format!("both sides are the one run with nonce `{}`", left.nonce)));
    }
    if left.recipe_digest != right.recipe_digest {
        return other("the recipe digests", &left.recipe_digest, &right.recipe_digest);
    }
    if left.part != right.part {
        return other("the parts", &left.part, &right.part);
    }
    if claim == Claim::Repeat && left.binary_digest != right.binary_digest {
        return other("the executables", &left.binary_digest, &right.binary_digest);
    }
    Ok(())
}

/// Values of two environments that differ, as `key: left / right`.
#[must_use]
pub fn environment_changes(left: &EnvFile, right: &EnvFile) -> Vec<String> {
    let keys: std::collections::BTreeSet<_> = left.values.keys().chain(right.values.keys()).collect();
    let value = |file: &EnvFile, key: &String| file.values.get(key).cloned().unwrap_or_else(|| "absent".to_owned());
    keys.into_iter()
        .map(|key| (key, value(left, key), value(right, key)))
        .filter(|(_, left, right)| left != right)
        .map(|(key, left, right)| format!("{key}: {left} / {right}"))
        .collect()
}
