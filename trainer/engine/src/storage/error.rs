//! Why storage could not be used.

use crate::control::ControlError;
use rustix::io::Errno;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum StorageError {
    /// An operation on the checkpoint directory failed.
    #[error(
        "storage: {operation} {target} failed\n  found: {source}\n  where: {}{}\n  do: {}",
        root.display(),
        ordinal.map_or_else(String::new, |ordinal| format!(", operation {ordinal} of the run")),
        advice(source)
    )]
    Operation { operation: &'static str, target: String, root: PathBuf, ordinal: Option<u64>, source: io::Error },
    /// The log of operations cannot be written; a run whose log is wanted must not go on without it.
    #[error("storage: cannot write the log {}\n  found: {source}\n  do: free space for the run directory, or turn `storage.log` off", path.display())]
    Log { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Control(#[from] ControlError),
}

/// What an operator can do about `error`.
fn advice(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => {
            "free space on that device (or raise the limit), then resume from the newest committed checkpoint"
        }
        Some(Errno::ROFS | Errno::ACCESS | Errno::PERM) => {
            "make the directory writable, or name another checkpoint directory"
        }
        Some(Errno::IO) => {
            "check the device (its data may be damaged), then run `lockstep verify` on the checkpoint directory"
        }
        Some(Errno::NOTDIR) => "a file stands where a directory is needed: name another checkpoint directory",
        Some(Errno::NOENT) => "check the path, and that nothing else removes files there",
        Some(Errno::EXIST | Errno::NOTEMPTY) => "check that no other run uses this checkpoint directory",
        _ => "correct the cause, then resume from the newest committed checkpoint",
    }
}
