//! What a run left behind, as far as the driver saw it.

use super::{RunError, Start};
use crate::process::Ending;
use contract::control::{Announcement, Point};
use contract::pointer::Pointer;
use contract::run::RunFile;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One run that has ended. Everything is what the driver saw itself, or read after the process was dead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunOutput {
    /// Folder of the run.
    pub directory: PathBuf,
    pub checkpoints: Option<PathBuf>,
    pub nonce: String,
    pub pid: u32,
    pub start: Start,
    /// From the wait status.
    pub ending: Ending,
    /// The driver killed it.
    pub killed: bool,
    /// Where it was killed; `None` for a kill at a random time.
    pub killed_at: Option<Point>,
    /// What it announced, in the order of arrival; empty without a socket.
    pub announcements: Vec<Announcement>,
    /// The newest save before the run was started, and after it was dead.
    pub latest_before: Option<Pointer>,
    pub latest_after: Option<Pointer>,
    /// What the run says that it loaded.
    pub loaded: Option<Pointer>,
    /// Processes that outlived the root and had to be killed.
    pub left_behind: usize,
    /// The end of its standard error.
    pub message: String,
    /// For estimates only.
    pub wall_seconds: f64,
}

impl RunOutput {
    /// The trace directory.
    #[must_use]
    pub fn trace(&self) -> PathBuf {
        self.directory.join("trace")
    }

    /// Points in the order of arrival.
    pub fn points(&self) -> impl Iterator<Item = &Point> {
        self.announcements.iter().map(|announcement| &announcement.point)
    }

    /// The step of the newest save that was announced as committed.
    #[must_use]
    pub fn committed(&self) -> Option<u64> {
        let step = |point: &Point| if let Point::Committed { step, .. } = point { Some(*step) } else { None };
        self.points().filter_map(step).max()
    }

    /// The driver killed it, and the kernel says that signal 9 was its end.
    #[must_use]
    pub fn died_as_told(&self) -> bool {
        self.killed && self.ending == Ending::SIGKILL
    }

    /// The run itself when it ended by itself with code 0.
    ///
    /// # Errors
    /// When it ended otherwise.
    pub fn succeeded(self) -> Result<Self, RunError> {
        if self.ending == Ending::Code(0) && !self.killed {
            return Ok(self);
        }
        Err(RunError::Exit { ending: self.ending, message: self.message, directory: self.directory })
    }

    /// Whether a rank has finished a frame of its trace.
    #[must_use]
    pub fn has_records(&self) -> bool {
        let frames = |entry: std::fs::DirEntry| {
            entry.file_name().to_string_lossy().ends_with(".index.jsonl") && entry.metadata().is_ok_and(|m| m.len() > 0)
        };
        std::fs::read_dir(self.trace()).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(frames)))
    }

    /// Whether the trace is still that of this run.
    #[must_use]
    pub fn is_still_there(&self) -> bool {
        self.run_file().is_ok_and(|file| file.is_some_and(|file| file.nonce == self.nonce))
    }

    fn run_file(&self) -> Result<Option<RunFile>, RunError> {
        let path = self.trace().join("run.json");
        let broken = |message: String| RunError::RunFile { path: path.clone(), message };
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| broken(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(broken(error.to_string())),
        }
    }

    /// Checks that `run.json` was written by this run: its nonce, a process id, and a start not before `started`
    /// (nanoseconds since the Unix epoch). The id may be that of a descendant, since a launcher may stand between.
    pub(super) fn prove(&self, started: u64) -> Result<(), RunError> {
        let path = self.trace().join("run.json");
        let file = match self.run_file() {
            Ok(Some(file)) => file,
            // A run that failed or was killed early has not come that far, or only half.
            Ok(None) | Err(_) if self.killed || self.ending != Ending::Code(0) => return Ok(()),
            Ok(None) => return Err(RunError::RunFile { path, message: "the run ended without writing it".into() }),
            Err(error) => return Err(error),
        };
        if file.nonce != self.nonce {
            let (expected, found) = (self.nonce.clone(), file.nonce);
            return Err(RunError::Nonce { expected, found, path });
        }
        if file.pid == 0 || file.pid == std::process::id() {
            let message = format!("process {} is none that the driver started", file.pid);
            return Err(RunError::RunFile { path, message });
        }
        // Clocks tick in steps and may be read in another order than written.
        const SLACK_NS: u64 = 1_000_000_000;
        if file.started_ns.saturating_add(SLACK_NS) < started {
            let message =
                format!("it says that it started at {}, before the driver asked at {started}", file.started_ns);
            return Err(RunError::RunFile { path, message });
        }
        Ok(())
    }
}
