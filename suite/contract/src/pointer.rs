//! Two small files that are evidence: which save is the newest (`latest.json`, in a checkpoint directory) and which
//! save a run started from (`loaded.json`, in its trace directory).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File in a checkpoint directory that names the newest committed save. Replaced by an atomic rename.
pub const LATEST: &str = "latest.json";
/// File in a trace directory, written before the first step of a run that loaded a checkpoint.
pub const LOADED: &str = "loaded.json";

/// Content of both files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pointer {
    pub schema: u32,
    /// The number of steps that the saved state has behind it.
    pub step: u64,
    /// Name of the save's folder, relative to the checkpoint directory.
    pub directory: String,
    /// BLAKE3 of the save's manifest, 64 lowercase hex digits. Another digest names its algorithm: `sha256:...`.
    pub manifest_digest: String,
}

impl Pointer {
    /// Reads a pointer. `Ok(None)` when the file does not exist.
    ///
    /// # Errors
    /// A text that names the file, when it cannot be read or is not a pointer of a known schema.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        let pointer: Self =
            serde_json::from_str(&text).map_err(|error| format!("{} is no pointer file: {error}", path.display()))?;
        if pointer.schema != crate::SCHEMA {
            return Err(format!(
                "{}: schema {} is unknown; expected {}",
                path.display(),
                pointer.schema,
                crate::SCHEMA
            ));
        }
        Ok(Some(pointer))
    }
}
