//! Checkpoints: the whole state of a run, saved so that no crash can lose or mix it.
//!
//! A checkpoint directory holds one folder for each save and a pointer:
//!
//! ```text
//! latest.json              names the newest committed save and the digest of its manifest
//! step-00000006/           a complete save; it appears by one rename
//!   manifest.json          every leaf with dtype, shape, fingerprint and shard; every shard with size and BLAKE3
//!   params.safetensors     one shard a section, or `params-00000-of-00003.safetensors` when it is large
//!   optimizer.safetensors  ...
//! .tmp-step-00000008/      a save that did not finish; the next save removes it
//! ```
//!
//! Invariants, which the tests of crash states and of injected errors keep:
//! 1. `latest.json` names a complete save, or does not exist.
//! 2. A folder `step-*` is complete in every state that a crash may leave.
//! 3. A save is committed when the rename of `latest.json` is durable. Only then older ones are removed, and only after
//!    the new one has been read again and verified.
//! 4. Loading never falls back: a damaged newest save is an error that names an older one, and using that one is the
//!    operator's decision ([`select`]).
//! 5. Equal states give equal bytes in every file.
//!
//! Faults are planted by replacing data, not by switches: a [`SavePolicy`] rewrites the list of steps of a save, a
//! [`StatePolicy`] the state before a save and after a load.
//!
//! Not here: what belongs to the state (the engine says it), exit codes, and sharding over ranks.

mod compare;
mod error;
mod inspect;
mod load;
mod manifest;
mod policy;
mod save;
mod saver;
mod shard;
mod state;
mod steps;
mod survey;
#[cfg(test)]
mod tests;
mod verify;

pub use compare::{Comparison, Difference, LeafDifference, compare_checkpoints};
pub use error::{CheckpointError, Problem};
pub use load::{Expectations, ExpectedLeaf, Loaded, load, select};
pub use manifest::{MANIFEST, Manifest, ManifestLeaf, ManifestShard, SCHEMA};
pub use policy::{ExactState, SafeOrder, SavePolicy, StatePolicy, Unsynced};
pub use save::{Recipe, SaveOptions, save};
pub use saver::{SaveCounters, Saver};
pub use state::{Leaf, SECTIONS, State};
pub use steps::{Folder, SavePlan, SaveStep, save_steps};
pub use verify::{SaveReport, VerifyReport, verify};

/// Name of the folder of a save.
#[must_use]
pub fn directory_name(step: u64) -> String {
    format!("step-{step:08}")
}

/// The step of a folder name; `None` for any other name.
fn step_of(name: &str) -> Option<u64> {
    let step = name.strip_prefix("step-")?.parse().ok()?;
    (directory_name(step) == name).then_some(step)
}
