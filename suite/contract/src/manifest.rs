//! What a save must offer to the suite, whatever its format: a `manifest.json` in its folder that names every leaf.
//!
//! A trainer may write more into its manifest; the suite reads these fields and passes over the rest. The suite does
//! not read the tensors themselves: that every fingerprint is the one of the stored bytes is for the trainer's own
//! verified load to say, and a second run that resumes shows it.

use crate::pointer::{LATEST, Pointer};
use fingerprint::Fingerprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// File in the folder of a save.
pub const MANIFEST: &str = "manifest.json";

/// The part of a manifest that the suite reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Every leaf of the saved state. Names are unique.
    pub leaves: Vec<Leaf>,
}

/// One saved leaf. Name, dtype, shape and fingerprint are those of the `state` record of the live leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Leaf {
    /// `section/leaf`.
    pub name: String,
    pub dtype: String,
    pub shape: Vec<u64>,
    #[schemars(with = "String")]
    pub fingerprint: Fingerprint,
}

/// The newest save of a checkpoint directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    pub pointer: Pointer,
    pub folder: PathBuf,
    pub manifest: Manifest,
}

/// Reads the newest save of `checkpoints`.
///
/// # Errors
/// A text that names the file, when there is no `latest.json`, or a file cannot be read or lacks what it must offer.
pub fn newest(checkpoints: &Path) -> Result<Save, String> {
    let path = checkpoints.join(LATEST);
    let pointer = Pointer::read(&path)?.ok_or_else(|| format!("there is no {}: nothing was saved", path.display()))?;
    let folder = checkpoints.join(&pointer.directory);
    let path = folder.join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| format!("{} is no manifest: {error}", path.display()))?;
    let mut names: Vec<_> = manifest.leaves.iter().map(|leaf| leaf.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("{} names the leaf `{}` twice", path.display(), twice[0]));
    }
    Ok(Save { pointer, folder, manifest })
}

#[cfg(test)]
mod tests;
