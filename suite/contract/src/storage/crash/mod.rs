//! Crash states: what a power loss may leave in a checkpoint directory.
//!
//! A killed process leaves its writes in the page cache, so a missing `fsync` shows only after a power loss. From the
//! log of a run, [`crash_states`] takes every prefix of the operations and builds directories that POSIX permits the
//! machine to come up with. The rules:
//!
//! - Bytes of a file are safe after an `fsync` of that file. Before it each write may be there, be gone, be there by
//!   half, or be zeros.
//! - An entry of a directory (a creation, a removal, a rename) is safe after an `fsync` of that directory. Before it
//!   each may be there or be gone. A rename is one effect: both ends of it happen or neither does.
//! - An `fsync` of a file says nothing about its entry, and an entry says nothing about the file's bytes.
//!
//! The number of all subsets is exponential, so this is the bound. Of the n effects that are not yet safe: none
//! survives; all survive; only the first k, each k; each one is lost alone; each one survives alone; only entries
//! survive; only bytes survive; and, with all else surviving, each write is torn in half or is zeros. Equal states
//! are given once.
//!
//! Not here: reordering inside one write beyond the half, silent corruption of bytes that were safe, and the verdict:
//! the caller loads each state and asks for the newest committed save.

mod content;
mod disk;
#[cfg(test)]
mod tests;

use super::{Line, StorageLog};
use crate::pointer::{LATEST, Pointer};
use disk::{Disk, Survival};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A directory's content: files with their bytes, and every directory in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Bytes by path relative to the directory, with `/`.
    pub files: BTreeMap<String, Arc<[u8]>>,
    pub directories: BTreeSet<String>,
}

impl Tree {
    /// Reads everything below `directory`; what does not exist is empty.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        if directory.exists() {
            tree.gather(directory, "")?;
        }
        Ok(tree)
    }

    fn gather(&mut self, directory: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.gather(&entry.path(), &format!("{path}/"))?;
                self.directories.insert(path);
            } else {
                self.files.insert(path, std::fs::read(entry.path())?.into());
            }
        }
        Ok(())
    }

    /// Writes the tree into `directory`, which is created and must be empty.
    ///
    /// # Errors
    /// When something cannot be written, or `directory` is not empty.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        if std::fs::read_dir(directory)?.next().is_some() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the directory for a crash state is not empty"));
        }
        self.replace(&Self::default(), directory)
    }

    /// Turns `directory`, which holds `before` and nothing else, into this tree. Files whose bytes both trees share are
    /// not touched.
    ///
    /// # Errors
    /// When something cannot be written or removed.
    pub fn replace(&self, before: &Self, directory: &Path) -> io::Result<()> {
        for path in before.files.keys().filter(|path| !self.files.contains_key(*path)) {
            std::fs::remove_file(directory.join(path))?;
        }
        // Descending order puts what lies in a directory before it.
        for path in before.directories.iter().rev().filter(|path| !self.directories.contains(*path)) {
            std::fs::remove_dir(directory.join(path))?;
        }
        for path in self.directories.difference(&before.directories) {
            std::fs::create_dir(directory.join(path))?;
        }
        for (path, bytes) in &self.files {
            if !before.files.get(path).is_some_and(|old| Arc::ptr_eq(old, bytes)) {
                std::fs::write(directory.join(path), bytes)?;
            }
        }
        Ok(())
    }

    /// Length and time of the last change of every file below `directory`: equal stamps say that nobody wrote there.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn stamps(directory: &Path) -> io::Result<Stamps> {
        let mut stamps = BTreeMap::new();
        let mut folders = vec![directory.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
                stamps.insert(entry.path(), (metadata.len(), metadata.modified()?));
            }
        }
        Ok(stamps)
    }
}

/// Length and time of the last change, by path.
pub type Stamps = BTreeMap<PathBuf, (u64, SystemTime)>;

/// One directory that a power loss may leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashState {
    /// Operations that had been carried out.
    pub prefix: u64,
    /// When the power went and what survived, in words.
    pub description: String,
    pub tree: Tree,
    /// The newest save that the run had promised to be durable by then.
    pub committed: Option<Pointer>,
}

#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    #[error("operation {ordinal} ({operation} {target}) of the storage log cannot be replayed: {message}")]
    Replay { ordinal: u64, operation: &'static str, target: String, message: String },
    #[error("`{LATEST}` of the directory that the run started with is no pointer: {message}")]
    Initial { message: String },
}

/// Every crash state of a run that began with `initial` in its checkpoint directory, all of it durable.
///
/// The states come in the order of the operations and each is built when it is asked for.
///
/// # Errors
/// An item is an error when the log contradicts itself; nothing follows it.
pub fn crash_states<'a>(
    initial: &Tree,
    log: &'a StorageLog,
) -> Result<impl Iterator<Item = Result<CrashState, CrashError>> + use<'a>, CrashError> {
    let committed = initial
        .files
        .get(LATEST)
        .map(|bytes| serde_json::from_slice(bytes).map_err(|error| CrashError::Initial { message: error.to_string() }))
        .transpose()?;
    Ok(States {
        log,
        disk: Disk::new(initial),
        committed,
        next_line: 0,
        prefix: 0,
        after: "before the first operation".to_owned(),
        pending: vec![Survival::All],
        seen: BTreeSet::new(),
        failed: false,
    })
}

struct States<'a> {
    log: &'a StorageLog,
    disk: Disk,
    committed: Option<Pointer>,
    next_line: usize,
    prefix: u64,
    after: String,
    /// What is still to be built at this prefix, last one first.
    pending: Vec<Survival>,
    /// Identity of each state that was given, with the save that it must hold.
    seen: BTreeSet<([u8; 32], Option<String>)>,
    failed: bool,
}

impl States<'_> {
    /// Replays one line. False at the end of the log.
    fn advance(&mut self) -> Result<bool, CrashError> {
        let Some(line) = self.log.lines.get(self.next_line) else { return Ok(false) };
        self.next_line += 1;
        match line {
            Line::Committed(pointer) => {
                self.committed = Some(pointer.clone());
                self.after = format!("after the commit of step {}", pointer.step);
            }
            Line::Operation(operation) => {
                let (name, target) = (operation.act.name(), operation.act.target());
                if operation.error.is_none() {
                    self.disk.apply(&operation.act, &self.log.data).map_err(|message| CrashError::Replay {
                        ordinal: operation.ordinal,
                        operation: name,
                        target: target.clone(),
                        message,
                    })?;
                }
                self.prefix = operation.ordinal + 1;
                self.after = format!("after operation {} ({name} {target})", operation.ordinal);
            }
        }
        self.pending = Survival::bounded(&self.disk);
        self.pending.reverse();
        Ok(true)
    }
}

impl Iterator for States<'_> {
    type Item = Result<CrashState, CrashError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            if let Some(survival) = self.pending.pop() {
                let survivors = self.disk.survivors(&survival);
                let promised = self.committed.as_ref().map(|pointer| pointer.manifest_digest.clone());
                if self.seen.insert((*survivors.identity().as_bytes(), promised)) {
                    return Some(Ok(CrashState {
                        prefix: self.prefix,
                        description: format!("{}: {}", self.after, survival.describe(&self.disk)),
                        tree: survivors.tree(),
                        committed: self.committed.clone(),
                    }));
                }
                continue;
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
