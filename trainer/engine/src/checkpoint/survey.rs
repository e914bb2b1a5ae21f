//! What a checkpoint directory holds, by a look at names, sizes and manifests. Bytes of shards are not read.

use super::manifest::{MANIFEST, Manifest, schema_of};
use super::steps::{Folder, TEMPORARY, is_stale_file};
use super::{CheckpointError, step_of};
use crate::storage::{Entry, Source};
use contract::pointer::{LATEST, Pointer};
use std::path::Path;

#[derive(Debug, Default)]
pub struct Survey {
    pub pointer: Option<Pointer>,
    /// Why there is a `latest.json` and no pointer.
    pub pointer_error: Option<CheckpointError>,
    /// Folders `step-*`, oldest first.
    pub saves: Vec<FoundSave>,
    /// Folders `.tmp-*`.
    pub stale: Vec<Folder>,
    pub stale_files: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct FoundSave {
    pub step: u64,
    pub folder: Folder,
    /// Digest of the manifest, when every file that it names is there with the right size.
    pub complete: Option<String>,
}

impl FoundSave {
    /// The pointer that would name this save; `None` when it is not complete.
    pub fn pointer(&self) -> Option<Pointer> {
        let manifest_digest = self.complete.clone()?;
        let directory = self.folder.name.clone();
        Some(Pointer { schema: contract::SCHEMA, step: self.step, directory, manifest_digest })
    }
}

impl Survey {
    /// Every complete save, oldest first.
    pub fn complete(&self) -> Vec<Pointer> {
        self.saves.iter().filter_map(FoundSave::pointer).collect()
    }

    /// The pointer, or nothing when the directory is new.
    ///
    /// A crash in the first save may leave one complete folder without a pointer; more than one means that the pointer
    /// was lost, and going on from step 0 would throw work away.
    pub fn newest(&mut self, root: &Path) -> Result<Option<Pointer>, CheckpointError> {
        if let Some(error) = self.pointer_error.take() {
            return Err(error);
        }
        let complete = self.complete();
        if self.pointer.is_none() && complete.len() > 1 {
            let saves = complete.into_iter().map(|pointer| pointer.directory).collect();
            return Err(CheckpointError::PointerMissing { path: root.join(LATEST), saves });
        }
        Ok(self.pointer.clone())
    }
}

/// Looks at a checkpoint directory; one that does not exist is empty.
pub fn survey(source: &mut dyn Source, root: &Path) -> Result<Survey, CheckpointError> {
    let Some(entries) = source.list("")? else { return Ok(Survey::default()) };
    let mut survey = Survey::default();
    for entry in entries {
        if entry.is_directory && entry.name.starts_with(TEMPORARY) {
            let files = source.list(&entry.name)?.unwrap_or_default();
            survey.stale.push(folder(&entry.name, &files));
        } else if entry.is_directory
            && let Some(step) = step_of(&entry.name)
        {
            let files = source.list(&entry.name)?.unwrap_or_default();
            let complete = completeness(source, &entry.name, &files)?;
            survey.saves.push(FoundSave { step, folder: folder(&entry.name, &files), complete });
        } else if !entry.is_directory && is_stale_file(&entry.name) {
            survey.stale_files.push(entry.name);
        } else if entry.name == LATEST {
            match read_pointer(source, root) {
                Ok(pointer) => survey.pointer = pointer,
                Err(error @ CheckpointError::Storage(_)) => return Err(error),
                Err(error) => survey.pointer_error = Some(error),
            }
        }
    }
    survey.saves.sort_by_key(|save| save.step);
    Ok(survey)
}

/// The pointer that would name the folder `name`; `None` when it is no complete save.
pub fn find(source: &mut dyn Source, name: &str) -> Result<Option<Pointer>, CheckpointError> {
    let Some(step) = step_of(name) else { return Ok(None) };
    let Some(files) = source.list(name)? else { return Ok(None) };
    let complete = completeness(source, name, &files)?;
    Ok(FoundSave { step, folder: folder(name, &files), complete }.pointer())
}

fn folder(name: &str, files: &[Entry]) -> Folder {
    Folder { name: name.to_owned(), files: files.iter().map(|entry| entry.name.clone()).collect() }
}

fn completeness(source: &mut dyn Source, name: &str, files: &[Entry]) -> Result<Option<String>, CheckpointError> {
    if !files.iter().any(|entry| entry.name == MANIFEST) {
        return Ok(None);
    }
    let Some(bytes) = source.read(&format!("{name}/{MANIFEST}"))? else { return Ok(None) };
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&bytes) else { return Ok(None) };
    let there = |file: &str, bytes| files.iter().any(|entry| entry.name == file && entry.bytes == bytes);
    let complete = manifest.shards.iter().all(|shard| there(&shard.file, shard.bytes));
    Ok((complete && step_of(name) == Some(manifest.step)).then(|| blake3::hash(&bytes).to_hex().to_string()))
}

fn read_pointer(source: &mut dyn Source, root: &Path) -> Result<Option<Pointer>, CheckpointError> {
    let Some(bytes) = source.read(LATEST)? else { return Ok(None) };
    let path = root.join(LATEST);
    match schema_of(&bytes) {
        Some(found) if found != contract::SCHEMA => {
            return Err(CheckpointError::Schema { path, found, known: contract::SCHEMA });
        }
        _ => {}
    }
    let pointer: Pointer = serde_json::from_slice(&bytes)
        .map_err(|error| CheckpointError::PointerInvalid { path: path.clone(), message: error.to_string() })?;
    if step_of(&pointer.directory) != Some(pointer.step) {
        let message = format!("`{}` is no folder of step {}", pointer.directory, pointer.step);
        return Err(CheckpointError::PointerInvalid { path, message });
    }
    Ok(Some(pointer))
}
