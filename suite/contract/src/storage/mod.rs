//! The storage log: every operation that a run carried out on its checkpoint directory, in order and with the bytes
//! that it wrote, so that the suite can rebuild what a power loss may have left behind.
//!
//! `storage.jsonl` in the run directory has one [`Line`] an operation, written after the operation. The bytes of each
//! write lie in `storage-data/<BLAKE3>` beside it. A trainer of any language can write this log.
//!
//! Not here: how a trainer saves, and the order of operations that is right. The log only says what was done.

pub mod crash;

use crate::pointer::Pointer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// File in a run directory that holds the log.
pub const LOG: &str = "storage.jsonl";
/// Folder in a run directory that holds the bytes of every logged write, each file named by its BLAKE3.
pub const DATA: &str = "storage-data";

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Line {
    /// Something was done to storage, or failed.
    Operation(Operation),
    /// The run promises that this save survives whatever happens from now on.
    Committed(Pointer),
}

/// One operation. Paths are relative to the checkpoint directory, with `/`; the directory itself is the empty path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Operation {
    /// Counts from 0 in the run, without a gap.
    pub ordinal: u64,
    /// The step that the save holds.
    pub save: u64,
    /// Counts from 0 in the save, without a gap.
    pub save_ordinal: u64,
    /// True when training went on during the save.
    pub asynchronous: bool,
    #[serde(flatten)]
    pub act: Act,
    /// Why the operation failed; it then changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "operation")]
pub enum Act {
    CreateDirectory {
        path: String,
    },
    /// Creates an empty file that did not exist.
    CreateFile {
        path: String,
    },
    /// Writes `length` bytes at `offset`. `digest` is the BLAKE3 of the bytes that were really written.
    Write {
        path: String,
        offset: u64,
        length: u64,
        digest: String,
    },
    /// `fsync` of a file.
    SyncFile {
        path: String,
    },
    /// `fsync` of a directory.
    SyncDirectory {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    RemoveFile {
        path: String,
    },
    RemoveDirectory {
        path: String,
    },
    Read {
        path: String,
    },
    List {
        path: String,
    },
}

impl Act {
    /// The operation's name, as in the log and in [`crate::control::Point::Storage`].
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CreateDirectory { .. } => "create_directory",
            Self::CreateFile { .. } => "create_file",
            Self::Write { .. } => "write",
            Self::SyncFile { .. } => "sync_file",
            Self::SyncDirectory { .. } => "sync_directory",
            Self::Rename { .. } => "rename",
            Self::RemoveFile { .. } => "remove_file",
            Self::RemoveDirectory { .. } => "remove_directory",
            Self::Read { .. } => "read",
            Self::List { .. } => "list",
        }
    }

    /// What the operation acts on: `.` is the checkpoint directory, a rename names both ends, a write its offset.
    #[must_use]
    pub fn target(&self) -> String {
        match self {
            Self::Rename { from, to } => format!("{from} -> {to}"),
            Self::Write { path, offset, .. } => format!("{path} at {offset}"),
            Self::CreateDirectory { path }
            | Self::CreateFile { path }
            | Self::SyncFile { path }
            | Self::SyncDirectory { path }
            | Self::RemoveFile { path }
            | Self::RemoveDirectory { path }
            | Self::Read { path }
            | Self::List { path } => {
                if path.is_empty() {
                    ".".to_owned()
                } else {
                    path.clone()
                }
            }
        }
    }
}

/// A log and the bytes of its writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageLog {
    pub lines: Vec<Line>,
    /// Bytes by their BLAKE3.
    pub data: BTreeMap<String, Arc<[u8]>>,
}

#[derive(Debug, Error)]
pub enum StorageLogError {
    #[error("cannot read {path}: {source}\n  do: make the run with `storage.log: true` and let it end")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}, line {line}: {message}\n  expected: one line of a storage log")]
    Line { path: PathBuf, line: usize, message: String },
    #[error("{path}, line {line}: operation {found} where {expected} was expected: the log has a gap")]
    Gap { path: PathBuf, line: usize, expected: u64, found: u64 },
    #[error("{path}: the bytes are not those that the log names\n  found: BLAKE3 {found}")]
    Altered { path: PathBuf, found: String },
    #[error("{path}: the log holds no operation, so it proves nothing")]
    Empty { path: PathBuf },
}

impl StorageLog {
    /// Reads the log of a run directory and the bytes that it refers to.
    ///
    /// # Errors
    /// When a file cannot be read, a line is torn or unknown, an ordinal is missing, bytes were altered, or the log
    /// is empty.
    pub fn read(run_directory: &Path) -> Result<Self, StorageLogError> {
        let path = run_directory.join(LOG);
        let text =
            std::fs::read_to_string(&path).map_err(|source| StorageLogError::Read { path: path.clone(), source })?;
        let mut log = Self::default();
        let mut expected = 0;
        for (index, line) in text.lines().enumerate() {
            let parsed = serde_json::from_str(line).map_err(|error| StorageLogError::Line {
                path: path.clone(),
                line: index + 1,
                message: error.to_string(),
            })?;
            if let Line::Operation(operation) = &parsed {
                if operation.ordinal != expected {
                    let found = operation.ordinal;
                    return Err(StorageLogError::Gap { path, line: index + 1, expected, found });
                }
                expected += 1;
                if let Act::Write { digest, .. } = &operation.act {
                    log.load_data(run_directory, digest)?;
                }
            }
            log.lines.push(parsed);
        }
        if expected == 0 {
            return Err(StorageLogError::Empty { path });
        }
        Ok(log)
    }

    fn load_data(&mut self, run_directory: &Path, digest: &str) -> Result<(), StorageLogError> {
        if self.data.contains_key(digest) {
            return Ok(());
        }
        let path = run_directory.join(DATA).join(digest);
        let bytes = std::fs::read(&path).map_err(|source| StorageLogError::Read { path: path.clone(), source })?;
        let found = blake3::hash(&bytes).to_hex().to_string();
        if found != digest {
            return Err(StorageLogError::Altered { path, found });
        }
        self.data.insert(found, bytes.into());
        Ok(())
    }
}
