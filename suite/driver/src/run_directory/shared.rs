//! Runs that several trials look at, made once for an invocation even when each trial is a process of its own.

use crate::runner::{RunError, RunOutput};
use contract::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The shared runs of one invocation.
#[derive(Clone, Debug)]
pub struct SharedRuns {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Remembered {
    Made(Box<RunOutput>),
    Failed { message: String, verdict: Verdict },
}

impl SharedRuns {
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// The run of `key` (see [`crate::runner::Runner::key`]), made by `make` in the folder that it is given unless it
    /// has been made before. Others who ask for it wait. A maker that died is noticed: its half run is removed and
    /// made again. A run that failed is not tried again.
    ///
    /// # Errors
    /// What `make` returns, now or the first time; or when the folder cannot be used.
    pub fn get_or_make(
        &self,
        key: &str,
        make: impl FnOnce(&Path) -> Result<RunOutput, RunError>,
    ) -> Result<RunOutput, RunError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| RunError::File { path, source }
        };
        let lock_path = self.directory.join(format!("{key}.lock"));
        let lock = File::options().create(true).append(true).open(&lock_path).map_err(at(&lock_path))?;
        lock.lock().map_err(at(&lock_path))?;
        let outcome = self.directory.join(format!("{key}.json"));
        let directory = self.directory.join(key);
        match read(&outcome) {
            Some(Remembered::Failed { message, verdict }) => return Err(RunError::Remembered { message, verdict }),
            Some(Remembered::Made(output)) if output.is_still_there() => return Ok(*output),
            _ => {}
        }
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(at(&directory))?;
        }
        let made = make(&directory);
        let remembered = match &made {
            Ok(output) => Remembered::Made(Box::new(output.clone())),
            Err(error) => Remembered::Failed { message: error.to_string(), verdict: error.verdict() },
        };
        let text = serde_json::to_vec(&remembered).expect("plain data serialises");
        let temporary = self.directory.join(format!("{key}.json.tmp"));
        fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &outcome)).map_err(at(&outcome))?;
        made
    }
}

fn read(outcome: &Path) -> Option<Remembered> {
    serde_json::from_slice(&fs::read(outcome).ok()?).ok()
}
