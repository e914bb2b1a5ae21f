//! The request: one JSON file that tells a trainer which run to make. It is the whole command line of a trainer
//! under trial, so a trainer in any language can be driven.

use crate::execution::Observe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The piece of a recipe that a run executes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Part {
    /// All cases of one room: `kernel/rmsnorm`.
    Kernel(String),
    /// A sub-plan of the recipe: `module/attention_block`.
    Module(String),
    /// The recipe itself: `end_to_end`.
    EndToEnd,
}

impl Part {
    #[must_use]
    pub const fn level(&self) -> crate::claim::Level {
        match self {
            Self::Kernel(_) => crate::claim::Level::Kernel,
            Self::Module(_) => crate::claim::Level::Module,
            Self::EndToEnd => crate::claim::Level::EndToEnd,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(room) => write!(f, "kernel/{room}"),
            Self::Module(name) => write!(f, "module/{name}"),
            Self::EndToEnd => f.write_str("end_to_end"),
        }
    }
}

impl FromStr for Part {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            None if text == "end_to_end" => Ok(Self::EndToEnd),
            Some(("kernel", room)) if !room.is_empty() => Ok(Self::Kernel(room.to_owned())),
            Some(("module", name)) if !name.is_empty() => Ok(Self::Module(name.to_owned())),
            _ => Err(format!("`{text}` is no part; expected `end_to_end`, `module/NAME` or `kernel/ROOM`")),
        }
    }
}

impl TryFrom<String> for Part {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        part.to_string()
    }
}

/// One run. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub schema: u32,
    /// Name of a known recipe, or path of a YAML file.
    pub recipe: String,
    pub part: Part,
    /// The trace directory to create. It must not exist or must be empty.
    pub run_directory: PathBuf,
    /// Where checkpoints are written and found. `None`: no checkpoint is written.
    pub checkpoint_directory: Option<PathBuf>,
    /// Overrides of the recipe's `execution`, by dotted key: `checkpoint.every: 1`.
    #[serde(default)]
    pub set: BTreeMap<String, serde_json::Value>,
    pub observe: Observe,
    pub perturbation: Option<Perturbation>,
    /// Unix socket of the driver. Without it nothing waits and nothing is announced.
    pub control_socket: Option<PathBuf>,
    #[serde(default)]
    pub storage: StorageRequest,
    /// End after this step as if it were the last one of the recipe, without a final save of its own.
    pub stop_after: Option<u64>,
    /// Compare with the independent reference as well, and record each comparison as a `check`.
    #[serde(default)]
    pub check: bool,
    /// Carry the plan out in f64 as well, from the same parameters, and leave the errors in `shadow.json`.
    #[serde(default)]
    pub shadow: bool,
    /// A number drawn by the driver for this run alone; the run repeats it in `run.json`.
    pub nonce: String,
}

/// What must not matter, turned against the run. All of it is derived from `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// Seeds the order in which tasks complete, injected delays and the places of allocations.
    pub seed: u64,
    /// Byte that fills every planned buffer before it is first written, and after its last read.
    pub poison: u8,
    /// Worker threads instead of `execution.threads`; 0 keeps them.
    pub threads: u32,
}

/// Faults and logs of the one module that touches storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageRequest {
    /// Write every operation of every save to `storage.jsonl` in the run directory.
    #[serde(default)]
    pub log: bool,
    /// Make the operation with this ordinal (from 0, over the whole run) fail.
    #[serde(default)]
    pub fail: Option<StorageFailure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageFailure {
    pub ordinal: u64,
    pub error: StorageErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StorageErrorKind {
    /// No space left on the device.
    Enospc,
    /// Input/output error.
    Eio,
    /// Read-only file system.
    Erofs,
    /// A write takes only half of its bytes, then the device is full.
    ShortWrite,
}
