//! The trace directory: what a run leaves behind, and the only thing that the judge reads.
//!
//! ```text
//! run.json                 nonce, pid, start, binary digest, recipe, part     (volatile)
//! env.json                 where it ran                                       (volatile)
//! loaded.json              which checkpoint it started from, if any
//! rank-00000.jsonl.zst     records, one zstd frame a step                     (equal runs: equal bytes)
//! rank-00000.index.jsonl   one line a frame: step, offset, size, digests      (equal runs: equal bytes)
//! timing-00000.jsonl       clock readings                                     (volatile)
//! counters.json            what the run really did
//! final/                   the state at the end, as a checkpoint
//! elements/                bytes of tensors, at observe level `element`
//! ```
//!
//! A frame is flushed when its step ends. A complete trace ends with an `end` record; only a run that the driver
//! killed may have a torn tail, and the reader must be told so.

mod digest;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

pub use reader::{Completeness, Frame, TraceError, TraceReader};
pub use writer::TraceWriter;

use crate::record::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One line of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameEntry {
    pub schema: u32,
    pub step: u64,
    /// Sequence number of the first record of the frame.
    pub first_seq: u64,
    pub records: u64,
    /// Where the frame starts in the record file, and its size there, in bytes.
    pub offset: u64,
    pub stored_bytes: u64,
    /// Digest of the frame as stored, with its algorithm: `blake3:` or `sha256:` and 64 lowercase hex digits.
    pub stored_digest: String,
    /// Digest of the records, in the same form: frames with equal digests hold equal records.
    pub digest: String,
}

/// Path of a rank's record file.
#[must_use]
pub fn records_path(directory: &Path, rank: u32) -> PathBuf {
    directory.join(format!("rank-{rank:05}.jsonl.zst"))
}

/// Path of a rank's index.
#[must_use]
pub fn index_path(directory: &Path, rank: u32) -> PathBuf {
    directory.join(format!("rank-{rank:05}.index.jsonl"))
}

/// Folder of tensor bytes in a trace directory.
#[must_use]
pub fn elements_path(directory: &Path) -> PathBuf {
    directory.join("elements")
}

/// Name of the file in `elements/` that holds one recorded tensor: raw little-endian elements, row-major. Its dtype
/// and shape are those of the record. `index` counts the records of the same step, node and role that came before.
#[must_use]
pub fn element_file(step: u64, node: &str, role: Role, index: u64, tensor: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' }).collect()
    };
    let role = match role {
        Role::In => "in",
        Role::Out => "out",
    };
    format!("step-{step:06}.{}.{role}{index}.{}.bin", plain(node), plain(tensor))
}
