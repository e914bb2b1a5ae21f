//! The steps of a save, as a list. The order here is what makes a save survive a crash.
//!
//! 1. Clean up: unfinished saves (`.tmp-*`), and complete folders that no pointer ever named. Sync the directory, so
//!    that a folder of an abandoned save never stands beside the new one.
//! 2. In a temporary folder write and sync each shard, then the manifest; sync the folder.
//! 3. Rename the folder to its final name; sync the directory.
//! 4. Write and sync `latest.json.tmp`, rename it to `latest.json`; sync the directory. Now the save is committed.
//! 5. Read the new save again and verify it; then remove what is older than the saves that are kept. A folder is first
//!    renamed to `.tmp-removed-*`, and the directory synced, so that no `step-*` folder is ever incomplete.

use contract::pointer::LATEST;
use std::borrow::Cow;

/// Prefix of folders that are not saves.
pub const TEMPORARY: &str = ".tmp-";
const POINTER_TEMPORARY: &str = "latest.json.tmp";

/// One step. Paths are relative to the checkpoint directory; the empty path is the directory itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveStep<'a> {
    CreateDirectory {
        path: String,
    },
    /// Creates a file with the concatenated pieces; does not sync it.
    WriteFile {
        path: String,
        pieces: Vec<Cow<'a, [u8]>>,
    },
    SyncFile {
        path: String,
    },
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
    /// Promises that the save is durable.
    Commit,
    /// Reads the new save again and verifies manifest and shards; the save ends with an error when they differ.
    Prove,
}

impl SaveStep<'_> {
    /// Moves every path inside the folder `from` into the folder `to`. For policies that create files elsewhere.
    pub fn relocate(&mut self, from: &str, to: &str) {
        let paths = match self {
            Self::CreateDirectory { path }
            | Self::WriteFile { path, .. }
            | Self::SyncFile { path }
            | Self::SyncDirectory { path }
            | Self::RemoveFile { path }
            | Self::RemoveDirectory { path } => vec![path],
            Self::Rename { from, to } => vec![from, to],
            Self::Commit | Self::Prove => vec![],
        };
        for path in paths {
            match path.strip_prefix(from) {
                Some("") => to.clone_into(path),
                Some(rest) if rest.starts_with('/') => *path = format!("{to}{rest}"),
                _ => {}
            }
        }
    }
}

/// A folder and the files in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    pub name: String,
    pub files: Vec<String>,
}

/// What a save has to do, before it is put in order.
#[derive(Clone, Debug, Default)]
pub struct SavePlan<'a> {
    /// Final name of the new folder.
    pub directory: String,
    /// Files of the new folder with their content, the manifest last.
    pub files: Vec<(String, Vec<Cow<'a, [u8]>>)>,
    /// Content of `latest.json`.
    pub pointer: Vec<u8>,
    /// Folders `.tmp-*`.
    pub stale: Vec<Folder>,
    /// Temporary files beside the folders.
    pub stale_files: Vec<String>,
    /// Complete folders that no pointer named.
    pub abandoned: Vec<Folder>,
    /// Older saves that are not kept.
    pub retired: Vec<Folder>,
}

/// The steps of a save, in the order that survives every crash.
#[must_use]
pub fn save_steps(plan: SavePlan<'_>) -> Vec<SaveStep<'_>> {
    let mut steps = clean_up(&plan);
    let temporary = format!("{TEMPORARY}{}", plan.directory);
    steps.push(SaveStep::CreateDirectory { path: temporary.clone() });
    for (name, pieces) in plan.files {
        let path = format!("{temporary}/{name}");
        steps.push(SaveStep::WriteFile { path: path.clone(), pieces });
        steps.push(SaveStep::SyncFile { path });
    }
    steps.push(SaveStep::SyncDirectory { path: temporary.clone() });
    steps.push(SaveStep::Rename { from: temporary, to: plan.directory });
    steps.push(sync_root());
    steps.extend(pointer_steps(plan.pointer));
    steps.push(SaveStep::Commit);
    if !plan.retired.is_empty() {
        steps.push(SaveStep::Prove);
        steps.extend(retire(&plan.retired));
    }
    steps
}

/// Replaces `latest.json`.
pub fn pointer_steps<'a>(content: Vec<u8>) -> Vec<SaveStep<'a>> {
    let path = POINTER_TEMPORARY.to_owned();
    vec![
        SaveStep::WriteFile { path: path.clone(), pieces: vec![Cow::Owned(content)] },
        SaveStep::SyncFile { path: path.clone() },
        SaveStep::Rename { from: path, to: LATEST.to_owned() },
        sync_root(),
    ]
}

fn clean_up<'a>(plan: &SavePlan<'_>) -> Vec<SaveStep<'a>> {
    let mut steps = Vec::new();
    for folder in &plan.stale {
        steps.extend(remove(folder, &folder.name));
    }
    steps.extend(plan.stale_files.iter().map(|path| SaveStep::RemoveFile { path: path.clone() }));
    steps.extend(retire(&plan.abandoned));
    if !steps.is_empty() && plan.abandoned.is_empty() {
        steps.push(sync_root());
    }
    steps
}

fn retire<'a>(folders: &[Folder]) -> Vec<SaveStep<'a>> {
    if folders.is_empty() {
        return Vec::new();
    }
    let removed = |folder: &Folder| format!("{TEMPORARY}removed-{}", folder.name);
    let rename = |folder: &Folder| SaveStep::Rename { from: folder.name.clone(), to: removed(folder) };
    let mut steps: Vec<_> = folders.iter().map(rename).collect();
    steps.push(sync_root());
    steps.extend(folders.iter().flat_map(|folder| remove(folder, &removed(folder))));
    steps.push(sync_root());
    steps
}

fn remove<'a>(folder: &Folder, name: &str) -> Vec<SaveStep<'a>> {
    let files = folder.files.iter().map(|file| SaveStep::RemoveFile { path: format!("{name}/{file}") });
    files.chain([SaveStep::RemoveDirectory { path: name.to_owned() }]).collect()
}

const fn sync_root<'a>() -> SaveStep<'a> {
    SaveStep::SyncDirectory { path: String::new() }
}

/// Whether `name` is a temporary file beside the folders.
pub fn is_stale_file(name: &str) -> bool {
    name == POINTER_TEMPORARY
}
