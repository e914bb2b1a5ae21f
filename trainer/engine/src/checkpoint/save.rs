//! One save, from a state to a committed checkpoint.

use super::inspect::{Depth, inspect};
use super::load::newest_older;
use super::manifest::{MANIFEST, Manifest, ManifestLeaf, ManifestShard, SCHEMA, json};
use super::shard::{self, Shard};
use super::survey::{FoundSave, Survey, survey};
use super::{
    CheckpointError, Folder, SafeOrder, SavePlan, SavePolicy, SaveStep, State, directory_name, save_steps, state,
};
use crate::storage::{CHUNK_BYTES, Storage};
use contract::execution::CheckpointExecution;
use contract::pointer::Pointer;
use fingerprint::Fingerprint;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which recipe a state belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub name: String,
    /// Digest of the semantics; the name alone decides nothing.
    pub digest: String,
}

/// How a save is carried out. None of it changes a byte of the state.
#[derive(Clone, Debug)]
pub struct SaveOptions {
    /// Complete saves that stay; at least 2 do.
    pub keep: u32,
    /// Bytes of one write.
    pub chunk_bytes: usize,
    /// Bytes of tensors in one shard.
    pub shard_bytes: u64,
    /// Write on a thread of its own while training goes on. Only [`super::Saver`] does; here it marks the kill points.
    pub asynchronous: bool,
    pub policy: Arc<dyn SavePolicy>,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self {
            keep: 2,
            chunk_bytes: CHUNK_BYTES,
            shard_bytes: 4 << 30,
            asynchronous: false,
            policy: Arc::new(SafeOrder),
        }
    }
}

impl From<&CheckpointExecution> for SaveOptions {
    fn from(execution: &CheckpointExecution) -> Self {
        Self { keep: execution.keep, asynchronous: execution.asynchronous, ..Self::default() }
    }
}

/// Saves `state`, which has `step` steps behind it, and returns the committed pointer.
///
/// Saving a step again with equal bytes changes nothing.
///
/// # Errors
/// When the state is not valid, storage fails, a newer save exists, or this step was saved with other bytes. Until
/// [`CheckpointError::Retention`] the previous save stays the newest one.
pub fn save(
    storage: &mut Storage,
    step: u64,
    recipe: &Recipe,
    state: &State,
    options: &SaveOptions,
) -> Result<Pointer, CheckpointError> {
    state.check()?;
    storage.begin_save(step, options.asynchronous);
    let root = storage.root().to_owned();
    let mut found = survey(storage, &root)?;
    let newest = found.newest(&root)?;
    let shards = shard::encode(state, options.shard_bytes);
    let manifest = describe(step, recipe, state, &shards).encode();
    let manifest_digest = blake3::hash(&manifest).to_hex().to_string();
    let pointer = Pointer { schema: contract::SCHEMA, step, directory: directory_name(step), manifest_digest };
    if let Some(newest) = newest {
        if newest.step == step {
            return saved_before(storage, newest, &pointer);
        }
        if newest.step > step && !options.policy.replaces_newer(step, &newest) {
            return Err(CheckpointError::NotNewer { root, step, newest: newest.step });
        }
    }
    let mut plan = arrange(found, step, options.policy.kept(options.keep));
    plan.files = shards.into_iter().map(|shard| (shard.file, shard.pieces)).collect();
    plan.files.push((MANIFEST.to_owned(), vec![Cow::Owned(manifest)]));
    plan.pointer = json(&pointer);
    execute(storage, &pointer, options.policy.rewrite(save_steps(plan)), options.chunk_bytes)?;
    Ok(pointer)
}

/// The step is already the newest save: fine when the bytes are the same and still there.
fn saved_before(storage: &mut Storage, newest: Pointer, now: &Pointer) -> Result<Pointer, CheckpointError> {
    let root = storage.root().to_owned();
    if newest.manifest_digest != now.manifest_digest {
        let (saved, now) = (newest.manifest_digest, now.manifest_digest.clone());
        return Err(CheckpointError::Diverged { root, step: newest.step, saved, now });
    }
    let problems = inspect(storage, &root, &newest, Depth::Digests)?.problems;
    if problems.is_empty() {
        Ok(newest)
    } else {
        let (path, older) = (root.join(&newest.directory), newest_older(&root, newest.step));
        Err(CheckpointError::Damaged { path, problems, older })
    }
}

fn describe(step: u64, recipe: &Recipe, state: &State, shards: &[Shard<'_>]) -> Manifest {
    let mut places = BTreeMap::new();
    for shard in shards {
        places.extend(shard.leaves.iter().map(|leaf| (*leaf, shard.file.as_str())));
    }
    let leaves = state.leaves.iter().map(|leaf| ManifestLeaf {
        name: leaf.name.clone(),
        section: state::section(&leaf.name).to_owned(),
        dtype: leaf.tensor.spec.dtype,
        shape: leaf.tensor.spec.shape.clone(),
        fingerprint: Fingerprint::of_bytes(leaf.tensor.bytes()),
        shard: places[leaf.name.as_str()].to_owned(),
    });
    let shards = shards.iter().map(|shard| ManifestShard {
        file: shard.file.clone(),
        bytes: shard.bytes(),
        blake3: shard.digest(),
    });
    Manifest {
        schema: SCHEMA,
        step,
        recipe: recipe.name.clone(),
        recipe_digest: recipe.digest.clone(),
        leaves: leaves.collect(),
        shards: shards.collect(),
    }
}

/// Decides what happens to the folders that are there.
///
/// Abandoned: newer than the pointer, so never committed, or in the way. Retired: older than the saves that are kept.
/// An incomplete older folder does not count as kept.
fn arrange<'a>(found: Survey, step: u64, kept: usize) -> SavePlan<'a> {
    let newest = found.pointer.as_ref().map(|pointer| pointer.step);
    let (abandoned, older): (Vec<_>, Vec<_>) =
        found.saves.into_iter().partition(|save| save.step == step || newest.is_none_or(|newest| save.step > newest));
    let folders = |saves: Vec<FoundSave>| -> Vec<Folder> { saves.into_iter().map(|save| save.folder).collect() };
    let mut older: Vec<_> = older.into_iter().filter(|save| save.step < step).collect();
    let complete: Vec<u64> = older.iter().filter(|save| save.complete.is_some()).map(|save| save.step).collect();
    // The new save is one of those that stay.
    let oldest_kept = match kept.saturating_sub(1) {
        0 => Some(step),
        before => complete.len().checked_sub(before).map(|index| complete[index]),
    };
    older.retain(|save| oldest_kept.is_some_and(|oldest| save.step < oldest));
    SavePlan {
        directory: directory_name(step),
        stale: found.stale,
        stale_files: found.stale_files,
        abandoned: folders(abandoned),
        retired: folders(older),
        ..SavePlan::default()
    }
}

/// Carries out the steps of a save.
pub fn execute(
    storage: &mut Storage,
    pointer: &Pointer,
    steps: Vec<SaveStep<'_>>,
    chunk_bytes: usize,
) -> Result<(), CheckpointError> {
    let mut committed = false;
    for step in steps {
        let result = execute_one(storage, pointer, &step, chunk_bytes);
        if let Err(source) = result {
            return Err(match committed {
                true => CheckpointError::Retention { pointer: pointer.clone(), source: Box::new(source) },
                false => source,
            });
        }
        committed |= step == SaveStep::Commit;
    }
    Ok(())
}

fn execute_one(
    storage: &mut Storage,
    pointer: &Pointer,
    step: &SaveStep<'_>,
    chunk_bytes: usize,
) -> Result<(), CheckpointError> {
    match step {
        SaveStep::CreateDirectory { path } => storage.create_directory(path)?,
        SaveStep::WriteFile { path, pieces } => {
            let pieces: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
            storage.write_file(path, &pieces, chunk_bytes)?;
        }
        SaveStep::SyncFile { path } => storage.sync_file(path)?,
        SaveStep::SyncDirectory { path } => storage.sync_directory(path)?,
        SaveStep::Rename { from, to } => storage.rename(from, to)?,
        SaveStep::RemoveFile { path } => storage.remove_file(path)?,
        SaveStep::RemoveDirectory { path } => storage.remove_directory(path)?,
        SaveStep::Commit => storage.committed(pointer)?,
        SaveStep::Prove => {
            let root = storage.root().to_owned();
            let problems = inspect(storage, &root, pointer, Depth::Digests)?.problems;
            if !problems.is_empty() {
                return Err(CheckpointError::Unproven { path: root.join(&pointer.directory), problems });
            }
        }
    }
    Ok(())
}
