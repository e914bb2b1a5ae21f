//! Client of the control socket: a run announces where it is and, at points that wait, goes on when it is told to.
//!
//! Without a socket every call returns at once. A run never reads anything from the socket but `go`, so the driver can
//! hold a run or kill it and cannot change what it computes.
//!
//! A thread that may be held while others go on needs a connection of its own: see [`Control::clone_connection`].

#[cfg(test)]
mod tests;

use contract::control::{Announcement, GO, Point};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// Why a run cannot announce itself. The run must end: nobody watches it any more.
#[derive(Debug, Error)]
pub enum ControlError {
    #[error(
        "cannot connect to the control socket {}: {source}\n  do: start the run through the driver, or leave `control_socket` out of the request",
        path.display()
    )]
    Connect { path: PathBuf, source: std::io::Error },
    #[error(
        "the driver went away while the run announced `{point}`\n  expected: the answer `go`\n  found: {found}\n  do: look at the driver's own log; resume the run from its newest checkpoint"
    )]
    Closed { point: String, found: String },
    #[error("the driver answered `{found}` to `{point}`\n  expected: `go`\n  do: use a driver of this schema")]
    Answer { point: String, found: String },
}

/// One connection to the driver, or none.
#[derive(Debug)]
pub struct Control {
    rank: u32,
    connection: Option<Connection>,
}

#[derive(Debug)]
struct Connection {
    path: PathBuf,
    stream: Mutex<BufReader<UnixStream>>,
}

impl Control {
    /// Connects to `socket`; without one the result is inert.
    ///
    /// # Errors
    /// When nobody listens at `socket`.
    pub fn connect(socket: Option<&Path>, rank: u32) -> Result<Self, ControlError> {
        let connection = socket
            .map(|path| {
                let stream = UnixStream::connect(path)
                    .map_err(|source| ControlError::Connect { path: path.to_owned(), source })?;
                Ok(Connection { path: path.to_owned(), stream: Mutex::new(BufReader::new(stream)) })
            })
            .transpose()?;
        Ok(Self { rank, connection })
    }

    /// A control that announces nothing.
    #[must_use]
    pub const fn inert() -> Self {
        Self { rank: 0, connection: None }
    }

    /// Another connection to the same driver, so that a thread which waits holds nobody else.
    ///
    /// # Errors
    /// When the driver does not listen any more.
    pub fn clone_connection(&self) -> Result<Self, ControlError> {
        Self::connect(self.connection.as_ref().map(|connection| connection.path.as_path()), self.rank)
    }

    /// Whether a driver is connected.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    /// Announces `point`; with `wait`, returns when the driver says `go`. Threads that share a connection take turns.
    ///
    /// # Errors
    /// When the driver closed the socket or answered something else.
    pub fn announce(&self, point: Point, wait: bool) -> Result<(), ControlError> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let closed = |point: &Point, found: String| ControlError::Closed { point: point.name(), found };
        let announcement = Announcement { rank: self.rank, wait, point };
        let mut line = serde_json::to_vec(&announcement).expect("an announcement is plain data");
        line.push(b'\n');
        let point = &announcement.point;
        // A panic elsewhere leaves the stream between two whole lines or closed, so it can be used.
        let mut stream = connection.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.get_mut().write_all(&line).map_err(|error| closed(point, error.to_string()))?;
        if !wait {
            return Ok(());
        }
        let mut answer = String::new();
        match stream.read_line(&mut answer) {
            Ok(0) => Err(closed(point, "a closed socket".to_owned())),
            Ok(_) if answer == GO => Ok(()),
            Ok(_) => Err(ControlError::Answer { point: point.name(), found: answer.trim_end().to_owned() }),
            Err(error) => Err(closed(point, error.to_string())),
        }
    }
}
