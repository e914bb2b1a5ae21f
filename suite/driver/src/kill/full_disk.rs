//! A file system that is really full: a small tmpfs in a mount namespace of its own.
//!
//! The namespace belongs to a sleeping process, so the mount vanishes with it and nobody else ever sees it. The files
//! are reached as `/proc/<pid>/root/...`; a trainer must use that path as it is given and not resolve it.

use super::points::save_every_step;
use super::storage::{not_refused, resume_failed};
use super::walk::segment_spec;
use crate::control::Conduct;
use crate::nonce;
use crate::process::{Child, Ending, Launch, tail};
use crate::runner::{RunOutput, RunSpec, Runner};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// This machine cannot try it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotCompared {
    pub reason: String,
}

/// A mounted file system of a fixed size. Dropping it unmounts it and loses what is in it.
pub struct FullDisk {
    holder: Child,
    enter: Vec<String>,
    scratch: PathBuf,
    mount: PathBuf,
}

const PATIENCE: Duration = Duration::from_secs(10);

impl FullDisk {
    /// Mounts a file system of `bytes` bytes; `scratch` is a folder for the mount point and logs.
    ///
    /// # Errors
    /// When neither a mount namespace nor a user namespace may be made here.
    pub fn mount(bytes: u64, scratch: &Path) -> Result<Self, NotCompared> {
        let flags: [(&str, &[&str]); 2] = [("-m", &["-m"]), ("-rm", &["-U", "--preserve-credentials", "-m"])];
        let mut reasons = Vec::new();
        for (unshare, enter) in flags {
            match Self::try_mount(bytes, scratch, unshare, enter) {
                Ok(disk) => return Ok(disk),
                Err(reason) => reasons.push(format!("unshare {unshare}: {reason}")),
            }
        }
        Err(NotCompared { reason: format!("no file system can be mounted here ({})", reasons.join("; ")) })
    }

    /// Where the files are, seen from outside of the namespace.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let inside = self.mount.strip_prefix("/").unwrap_or(&self.mount);
        PathBuf::from(format!("/proc/{}/root", self.holder.pid())).join(inside)
    }

    /// Gives the file system a new size and keeps its files.
    ///
    /// # Errors
    /// What `nsenter` or `mount` said.
    pub fn resize(&self, bytes: u64) -> Result<(), String> {
        let mut command = vec!["nsenter".to_owned(), "-t".to_owned(), self.holder.pid().to_string()];
        command.extend(self.enter.iter().cloned());
        command.extend(["mount".into(), "-o".into(), format!("remount,size={bytes}")]);
        command.push(self.mount.to_string_lossy().into_owned());
        let launch = launch(command, &self.scratch, "resize");
        let exit = Child::start(&launch, || {}).and_then(|mut child| child.wait(PATIENCE));
        match exit {
            Ok(Some(exit)) if exit.ending == Ending::Code(0) => Ok(()),
            Ok(_) => Err(format!("the file system cannot be resized: {}", tail(&launch.stderr, 500))),
            Err(error) => Err(format!("the file system cannot be resized: {error}")),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "waits for a child with a deadline")]
    fn try_mount(bytes: u64, scratch: &Path, unshare: &str, enter: &[&str]) -> Result<Self, String> {
        const SCRIPT: &str = r#"mount -t tmpfs -o size="$0" lockstep "$1" && : > "$2" && exec sleep 86400"#;
        let scratch = scratch.join(format!("full-disk{unshare}"));
        let (mount, ready) = (scratch.join("mount"), scratch.join("ready"));
        std::fs::create_dir_all(&mount).map_err(|error| format!("{}: {error}", mount.display()))?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut command: Vec<String> = ["unshare", unshare, "sh", "-c", SCRIPT].map(str::to_owned).to_vec();
        command.extend([bytes.to_string(), text(&mount), text(&ready)]);
        let launch = launch(command, &scratch, "mount");
        let mut holder = Child::start(&launch, || {}).map_err(|error| error.to_string())?;
        let deadline = Instant::now() + PATIENCE;
        while !ready.exists() {
            let ended = holder.wait(Duration::from_millis(2)).map_err(|error| error.to_string())?;
            if ended.is_some() || Instant::now() > deadline {
                return Err(tail(&launch.stderr, 500));
            }
        }
        let enter = enter.iter().map(|&flag| flag.to_owned()).collect();
        Ok(Self { holder, enter, scratch, mount })
    }
}

fn launch(command: Vec<String>, scratch: &Path, name: &str) -> Launch {
    Launch {
        command,
        environment: BTreeMap::new(),
        directory: scratch.to_owned(),
        stdout: scratch.join(format!("{name}.stdout.log")),
        stderr: scratch.join(format!("{name}.stderr.log")),
        nonce: nonce::draw(),
    }
}

/// A run on a full file system, and its resume when there is room again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FullDiskTrial {
    pub failed: Option<RunOutput>,
    /// Must equal the run that never failed.
    pub resumed: Option<RunOutput>,
    /// What is wrong even before bits are compared.
    pub problem: Option<String>,
}

/// Runs with checkpoints on a file system of `bytes` bytes, which must be too small for the run, makes room, and
/// resumes. The runs' own folders lie under `directory`.
///
/// # Errors
/// When this machine cannot mount such a file system.
pub fn full_disk(runner: &Runner, base: &RunSpec, bytes: u64, directory: &Path) -> Result<FullDiskTrial, NotCompared> {
    let disk = FullDisk::mount(bytes, directory)?;
    let spec = |index| {
        let mut spec = segment_spec(&base.at(directory), &disk.path(), index, 0);
        spec.directory = directory.join(format!("segment-{index:04}"));
        spec.set.extend(save_every_step(false));
        spec
    };
    let mut trial = FullDiskTrial { failed: None, resumed: None, problem: None };
    match runner.attempt(&spec(0), Conduct::LetRun) {
        Ok(run) => {
            trial.problem = not_refused(&run);
            trial.failed = Some(run);
        }
        Err(error) => trial.problem = Some(error.to_string()),
    }
    if let Err(reason) = disk.resize(bytes.saturating_mul(64)) {
        return Err(NotCompared { reason });
    }
    match runner.run(&spec(1)) {
        Ok(run) => trial.resumed = Some(run),
        Err(error) => trial.problem = Some(resume_failed(trial.problem, &error)),
    }
    Ok(trial)
}
