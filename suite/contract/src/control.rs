//! The control socket: how a run announces where it is, so that the driver can kill it exactly there.
//!
//! The trainer connects to the Unix socket named by the request and writes one [`Announcement`] a line as JSON.
//! After each line that has `wait: true` it blocks until it reads one line, `go`. A driver that wants to kill at that
//! point does so instead of answering. Without a socket nothing is announced and nothing waits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer that lets a run go on.
pub const GO: &str = "go\n";

/// One line from the trainer to the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    pub rank: u32,
    /// True when the trainer blocks until it reads [`GO`].
    pub wait: bool,
    pub point: Point,
}

/// A place in a run at which it can be killed. Points that differ only in timing have equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "at")]
pub enum Point {
    /// A checkpoint has been loaded and verified; no step has run since.
    Loaded { step: u64, manifest_digest: String },
    /// A phase of a step begins.
    Phase { step: u64, phase: String },
    /// A step has ended; its records are in the trace.
    StepEnd { step: u64 },
    /// The next operation of a save is about to run. `save` is the number of steps that the saved state has behind it, as
    /// in `latest.json`, and so the step that training goes on with. `ordinal` counts from 0 in the save.
    Storage { save: u64, ordinal: u64, operation: String, path: String, asynchronous: bool },
    /// A save is durable and is the newest one. Does not wait.
    Committed { step: u64, manifest_digest: String },
}

impl Point {
    /// A short name, unique in a run: `step 3 forward`, `save 4 #12 fsync optimizer.safetensors`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Loaded { step, .. } => format!("loaded {step}"),
            Self::Phase { step, phase } => format!("step {step} {phase}"),
            Self::StepEnd { step } => format!("step {step} end"),
            Self::Storage { save, ordinal, operation, path, asynchronous } => {
                let kind = if *asynchronous { "async save" } else { "save" };
                format!("{kind} {save} #{ordinal} {operation} {path}")
            }
            Self::Committed { step, .. } => format!("committed {step}"),
        }
    }
}
