//! A started process and its end.

use super::{environment, spawner, tree};
use rustix::process::{Pid, WaitId, WaitIdOptions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What to start. Paths are absolute.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Added to the clean environment.
    pub environment: BTreeMap<String, String>,
    /// Working directory.
    pub directory: PathBuf,
    /// Files that standard output and standard error are written to.
    pub stdout: PathBuf,
    pub stderr: PathBuf,
    /// Unique among the children of the driver.
    pub nonce: String,
}

/// How a process ended, as the kernel told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Code(i32),
    Signal(i32),
}

impl Ending {
    /// Number of SIGKILL.
    pub const SIGKILL: Self = Self::Signal(9);
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The end of a process tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    pub ending: Ending,
    /// Processes that had to be killed after the root had ended or with it.
    pub killed: usize,
}

/// A running tree. Dropping it kills the tree.
pub struct Child {
    inner: std::process::Child,
    mark: String,
    ended: Receiver<()>,
    exit: Option<Exit>,
}

impl Child {
    /// Starts a process with an empty standard input. `on_end` runs on a thread of its own as soon as the process
    /// has ended, before it is reaped.
    ///
    /// # Errors
    /// When an output file cannot be created or the program cannot be started.
    #[expect(clippy::disallowed_methods, reason = "the thread that waits for one child ends with it")]
    pub fn start(launch: &Launch, on_end: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let Some((program, arguments)) = launch.command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
        };
        let mark = format!("{}.{}", spawner::token(), launch.nonce);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&launch.directory).stdin(Stdio::null()).process_group(0);
        command.stdout(File::create(&launch.stdout)?).stderr(File::create(&launch.stderr)?);
        environment::clean(&mut command, &launch.environment, &mark);
        let inner = spawner::spawn(command, mark.clone())?;
        let pid = Pid::from_child(&inner);
        let (sender, ended) = channel();
        // Without NOWAIT the process id would be free for reuse while the tree is still being killed.
        let wait = move || {
            let _ended = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _nobody_waits = sender.send(());
            on_end();
        };
        // Made before the thread, so that the tree dies if the thread cannot be started.
        let child = Self { inner, mark, ended, exit: None };
        thread::Builder::new().name("waiter".into()).spawn(wait)?;
        Ok(child)
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.inner.id()
    }

    /// Waits for the end of the process; then kills what it left behind. `None` when it is still running after
    /// `timeout`.
    ///
    /// # Errors
    /// When the kernel does not tell the status.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<Option<Exit>> {
        if self.exit.is_none() && self.ended.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
            return Ok(None);
        }
        self.finish().map(Some)
    }

    /// Kills the whole tree and returns how the root ended: a root that had already ended keeps its own end.
    ///
    /// # Errors
    /// When the kernel does not tell the status.
    pub fn kill_tree(&mut self) -> io::Result<Exit> {
        self.finish()
    }

    fn finish(&mut self) -> io::Result<Exit> {
        if let Some(exit) = &self.exit {
            return Ok(exit.clone());
        }
        let killed = tree::kill(self.inner.id(), &self.mark);
        spawner::forget(self.inner.id());
        let status = self.inner.wait()?;
        let ending = match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Code(code),
            (None, Some(signal)) => Ending::Signal(signal),
            (None, None) => return Err(io::Error::other(format!("`{status}` is neither an exit nor a signal"))),
        };
        Ok(self.exit.insert(Exit { ending, killed }).clone())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _reported_by_wait = self.finish();
    }
}

/// The last `bytes` bytes of a file as text; empty when it cannot be read.
#[must_use]
pub fn tail(path: &Path, bytes: u64) -> String {
    let read = || {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
        let mut end = Vec::new();
        file.take(bytes).read_to_end(&mut end)?;
        io::Result::Ok(end)
    };
    read().map(|end| String::from_utf8_lossy(&end).trim().to_owned()).unwrap_or_default()
}
