//! Where runs live: `target/lockstep/<invocation>/<trial>/<run>`.
//!
//! An invocation is one call of the suite. Under a runner that gives each trial a process of its own, all processes
//! of a call share its `NEXTEST_RUN_ID`; otherwise the id is a nonce. The newest invocations are kept whole; of older
//! ones only the trials that failed are. An invocation that is in use is never touched.

mod shared;

#[cfg(test)]
mod tests;

pub use shared::SharedRuns;

use crate::nonce;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Invocations that are kept whole, the running one included.
pub const KEPT: usize = 3;

/// In the folder of a trial that failed.
const FAILED: &str = "FAILED";
/// In the folder of an invocation; locked while a process of it lives.
const LOCK: &str = "lock";

/// The folder of this call of the suite.
pub struct Invocation {
    directory: PathBuf,
    _in_use: File,
}

impl Invocation {
    /// Opens the folder of this invocation under `root` (usually `target/lockstep`) and removes old ones.
    ///
    /// # Errors
    /// When the folder cannot be made or locked.
    #[expect(clippy::disallowed_methods, reason = "the runner names its invocation")]
    pub fn open(root: &Path) -> io::Result<Self> {
        let id = std::env::var("NEXTEST_RUN_ID").ok().filter(|id| is_name(id)).unwrap_or_else(nonce::draw);
        Self::open_as(root, &id)
    }

    /// As [`Invocation::open`], with a given id.
    ///
    /// # Errors
    /// As [`Invocation::open`].
    pub fn open_as(root: &Path, id: &str) -> io::Result<Self> {
        let root = std::path::absolute(root)?;
        let directory = root.join(id);
        fs::create_dir_all(&directory)?;
        let in_use = File::options().create(true).append(true).open(directory.join(LOCK))?;
        in_use.lock_shared()?;
        prune(&root)?;
        Ok(Self { directory, _in_use: in_use })
    }

    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The folder of a trial; its name is kept readable, what a path cannot hold becomes `-`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn trial(&self, name: &str) -> io::Result<Trial> {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' }).collect();
        let directory = self.directory.join("trials").join(name);
        fs::create_dir_all(&directory)?;
        Ok(Trial { directory })
    }

    /// Runs that several trials of this invocation look at.
    ///
    /// # Errors
    /// When their folder cannot be made.
    pub fn shared(&self) -> io::Result<SharedRuns> {
        SharedRuns::open(&self.directory.join("shared"))
    }
}

/// The folder of one trial.
#[derive(Clone, Debug)]
pub struct Trial {
    pub directory: PathBuf,
}

impl Trial {
    /// Path of a run of this trial.
    #[must_use]
    pub fn run(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Keeps the folder beyond the newest invocations.
    ///
    /// # Errors
    /// When the mark cannot be written.
    pub fn failed(&self) -> io::Result<()> {
        fs::write(self.directory.join(FAILED), "")
    }

    /// Removes the folder: the trial passed and nobody asked to keep its runs.
    ///
    /// # Errors
    /// When something in it cannot be removed.
    pub fn discard(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.directory)
    }
}

fn is_name(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn prune(root: &Path) -> io::Result<()> {
    let mut invocations: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        // Appending nothing leaves the lock file's time at the start of the invocation.
        if let Ok(started) = fs::metadata(path.join(LOCK)).and_then(|lock| lock.modified()) {
            invocations.push((started, path));
        }
    }
    invocations.sort();
    let old = invocations.len().saturating_sub(KEPT);
    for (_, path) in &invocations[..old] {
        prune_one(path)?;
    }
    Ok(())
}

/// Removes what passed. Another process may do the same at this moment, so nothing here has to succeed.
fn prune_one(invocation: &Path) -> io::Result<()> {
    let Ok(lock) = File::open(invocation.join(LOCK)) else { return Ok(()) };
    if lock.try_lock().is_err() {
        return Ok(());
    }
    let trials: Vec<_> = fs::read_dir(invocation.join("trials")).into_iter().flatten().flatten().collect();
    let failed = |trial: &fs::DirEntry| trial.path().join(FAILED).exists();
    if !trials.iter().any(failed) {
        return gone(fs::remove_dir_all(invocation));
    }
    for trial in trials.iter().filter(|trial| !failed(trial)) {
        gone(fs::remove_dir_all(trial.path()))?;
    }
    // A failed trial may point at a run that it shared, so those stay.
    Ok(())
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
