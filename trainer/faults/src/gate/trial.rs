//! One trial of the suite in a process of its own, with this executable as harness and as trainer.

use super::RECIPE;
use crate::{ACTIVATIONS, VARIABLE};
use contract::adapter::Adapter;
use contract::run::CountersFile;
use driver::report::Report;
use judge::Outcome;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ADAPTER: &str = include_str!("../../../../suite/adapters/mutant.yaml");

/// Where trials are made.
pub struct Trials {
    executable: PathBuf,
    golden: PathBuf,
    folder: PathBuf,
    pub seed: u64,
}

/// What came of one.
pub struct Tried {
    pub outcome: Outcome,
    pub activations: u64,
    pub milliseconds: u64,
    pub folder: PathBuf,
}

impl Trials {
    pub fn new(root: &Path, folder: &Path, seed: u64) -> Result<Self, String> {
        let executable =
            std::env::current_exe().map_err(|error| format!("this executable cannot be found: {error}"))?;
        Ok(Self { executable, golden: root.join("golden"), folder: folder.to_owned(), seed })
    }

    /// Makes `trial` (a name without its recipe) in the folder `name`, with a fault or with none.
    pub fn run(&self, name: &str, trial: &str, fault: Option<&str>, seed: u64) -> Result<Tried, String> {
        let folder = self.folder.join(name);
        let named = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
        std::fs::create_dir_all(folder.join("suite/mustpass")).map_err(named)?;
        if self.golden.is_dir() {
            std::os::unix::fs::symlink(&self.golden, folder.join("golden")).map_err(named)?;
        }
        let adapter = folder.join("adapter.yaml");
        std::fs::write(&adapter, self.adapter(fault)?).map_err(named)?;
        let log = File::create(folder.join("log.txt")).map_err(named)?;
        let status = Command::new(&self.executable)
            .args(["run", "--recipe", RECIPE, "--exact", &format!("{RECIPE}::{trial}"), "--keep", "--jobs", "1"])
            .args(["--seed", &seed.to_string(), "--json"])
            .args([&folder.join("report.json"), Path::new("--adapter"), &adapter, Path::new("--trainer")])
            .args([&self.executable, Path::new("--root"), &folder])
            .env_clear()
            .envs(inherited())
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(named)?)
            .stderr(log)
            .status()
            .map_err(|error| format!("cannot start {}: {error}", self.executable.display()))?;
        let report = read_report(&folder.join("report.json"));
        let report =
            report.map_err(|message| format!("{message}; it ended with {status}: {}/log.txt", folder.display()))?;
        let tried = report.trials.into_iter().next();
        let tried = tried.ok_or_else(|| format!("no trial ran: {}/log.txt", folder.display()))?;
        let activations = activations(&folder).map_err(named)?;
        Ok(Tried { outcome: tried.outcome, activations, milliseconds: tried.milliseconds, folder })
    }

    fn adapter(&self, fault: Option<&str>) -> Result<String, String> {
        let mut adapter = Adapter::built_in(ADAPTER, &self.executable).map_err(|error| error.to_string())?;
        adapter.environment.extend(fault.map(|fault| (VARIABLE.to_owned(), fault.to_owned())));
        serde_yaml::to_string(&adapter).map_err(|error| error.to_string())
    }
}

/// What the harness passes on to its trainers, and no more: a variable of the suite would change the trial.
#[expect(clippy::disallowed_methods, reason = "the harness needs the path and scratch space of this process")]
fn inherited() -> Vec<(&'static str, std::ffi::OsString)> {
    let passed = driver::process::PASSED.iter();
    passed.filter_map(|name| std::env::var_os(name).map(|value| (*name, value))).collect()
}

fn read_report(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("the suite wrote no report: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("the report is not valid: {error}"))
}

/// Activations of every run in a folder: counted by those that came to their end, one for each other run that says
/// that its fault was active.
fn activations(folder: &Path) -> std::io::Result<u64> {
    let mut total = 0;
    let (mut counted, mut active) = (None, false);
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            total += activations(&entry.path())?;
        } else if entry.file_name() == "counters.json" {
            let counters = serde_json::from_slice::<CountersFile>(&std::fs::read(entry.path())?);
            counted = counters.ok().and_then(|file| file.counters.get(ACTIVATIONS).copied());
        } else if entry.file_name() == "stderr.log" {
            active = String::from_utf8_lossy(&std::fs::read(entry.path())?).contains(mutants::ACTIVE);
        }
    }
    Ok(total + counted.unwrap_or_else(|| u64::from(active)))
}
