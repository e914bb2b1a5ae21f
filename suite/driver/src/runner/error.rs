//! Why a run is none.

use crate::process::Ending;
use contract::adapter::AdapterError;
use contract::verdict::Verdict;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    #[error("cannot start `{}`: {source}", command.join(" "))]
    Start { command: Vec<String>, source: std::io::Error },
    #[error("cannot use {path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("cannot make a folder or a socket for temporary use: {0}")]
    Socket(std::io::Error),
    #[error("the run ended with {ending}: {} (in {directory})", last_words(message))]
    Exit { ending: Ending, message: String, directory: PathBuf },
    #[error("the run took longer than {seconds} s and was killed: {} (in {directory})", last_words(message))]
    TimedOut { seconds: f64, message: String, directory: PathBuf },
    #[error("{path} has the nonce `{found}`, the run was given `{expected}`: this trace is not of this run")]
    Nonce { expected: String, found: String, path: PathBuf },
    #[error("{path} does not prove the run: {message}")]
    RunFile { path: PathBuf, message: String },
    #[error("{0}")]
    Pointer(String),
    #[error("{message}; the run in {directory} was killed")]
    Control { message: String, directory: PathBuf },
    #[error("`{command}` ended with {ending}: {message}")]
    Question { command: String, ending: Ending, message: String },
    #[error("the answer to `{command}` cannot be used: {message}")]
    Answer { command: &'static str, message: String },
    #[error("this run was made before in this invocation and failed: {message}")]
    Remembered { message: String, verdict: Verdict },
}

/// The last line says most; the others stand in the run's folder.
fn last_words(message: &str) -> &str {
    message.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("without a word")
}

impl RunError {
    /// INVALID when a run was made that proves nothing, INFRA when none was made.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Nonce { .. } | Self::RunFile { .. } => Verdict::Invalid,
            Self::Remembered { verdict, .. } => *verdict,
            _ => Verdict::Infra,
        }
    }
}
