//! The proof that the suite can fail.
//!
//! | module | what it shows |
//! | --- | --- |
//! | [`trial`] | runs one trial of the suite in a process of its own, over this very executable |
//! | [`planted`] | each planted fault turns its trial red, with its verdict, at its place |
//! | [`matrix`] | each perturbation exposes a fault that an unperturbed repeat misses |
//! | [`clean`] | runs without a fault stay green, each with a perturbation seed of its own |
//! | [`harness`] | comparers with faults are noticed by the judge's battery |
//! | [`sensitivity`] | one flipped bit in any output of any kernel is noticed and named |
//! | [`table`] | the result for people and as JSON |

mod clean;
mod harness;
mod matrix;
mod planted;
mod sensitivity;
mod table;
mod trial;

pub use planted::listed;

use clap::{Args, Subcommand};
use contract::verdict::Verdict;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The recipe that faults are planted in.
const RECIPE: &str = "dense-ieee";

/// The committed list of planted faults.
const LIST: &str = "suite/mustpass/faults.txt";

/// Tries whether the suite notices faults.
#[derive(Subcommand, Debug)]
pub enum Gate {
    /// Plant every known fault and demand that its trial turns red at its place.
    Faults(FaultsGate),
    /// Flip one bit in every output of every kernel and demand that it is noticed and named.
    Sensitivity(SensitivityGate),
}

/// Which faults, and how.
#[derive(Args, Debug)]
pub struct FaultsGate {
    /// Only this fault; may be given several times. Then nothing else is tried.
    #[arg(long, value_name = "ID")]
    fault: Vec<String>,
    /// Trials that run at the same time.
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    jobs: usize,
    /// Seed of the first perturbation; clean run number n has this seed plus n.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

#[derive(Args, Debug)]
pub struct SensitivityGate {
    /// Kernels that are tried at the same time.
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    jobs: usize,
    /// Only this room; may be given several times.
    #[arg(long, value_name = "NAME")]
    room: Vec<String>,
}

impl Gate {
    /// Runs the gate. The exit code is that of PASS, CONTROL_MISSED, or INFRA.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let root = match root() {
            Ok(root) => root,
            Err(message) => return infra(&message),
        };
        let result = match self {
            Self::Faults(gate) => faults(&root, &gate),
            Self::Sensitivity(gate) => sensitivity::run(&root, &gate.room, gate.jobs),
        };
        match result {
            Ok(true) => ExitCode::from(Verdict::Pass.exit_code()),
            Ok(false) => {
                eprintln!("{}: {}", Verdict::ControlMissed, Verdict::ControlMissed.sentence());
                ExitCode::from(Verdict::ControlMissed.exit_code())
            }
            Err(message) => infra(&message),
        }
    }
}

fn infra(message: &str) -> ExitCode {
    eprintln!("{}: {message}", Verdict::Infra);
    ExitCode::from(Verdict::Infra.exit_code())
}

fn faults(root: &Path, gate: &FaultsGate) -> Result<bool, String> {
    let folder = fresh(root, "faults")?;
    let trials = trial::Trials::new(root, &folder, gate.seed)?;
    let chosen = planted::chosen(&gate.fault)?;
    let whole = gate.fault.is_empty();
    let pool = pool(gate.jobs)?;
    let mut report = table::Report { seed: gate.seed, ..table::Report::default() };
    if whole {
        report.list = planted::list_differs(root)?;
        report.harness = harness::run()?;
        report.matrix = matrix::run();
    }
    report.faults = pool.install(|| planted::run(&trials, &chosen));
    if whole {
        report.clean = pool.install(|| clean::run(&trials));
    }
    table::write(&report, &folder.with_extension("json"))?;
    print!("{}", table::text(&report));
    Ok(report.passed())
}

/// An empty folder for a gate's runs, below `target/lockstep/gates`.
fn fresh(root: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = root.join("target/lockstep/gates").join(name);
    let named = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(named)?;
    }
    std::fs::create_dir_all(&folder).map_err(named)?;
    Ok(folder)
}

fn pool(jobs: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build().map_err(|error| error.to_string())
}

/// The folder that holds the committed list, from the working directory upwards.
fn root() -> Result<PathBuf, String> {
    let here = std::env::current_dir().map_err(|error| format!("the working directory cannot be found: {error}"))?;
    let found = here.ancestors().find(|folder| folder.join(LIST).is_file());
    found.map(Path::to_owned).ok_or_else(|| format!("there is no {LIST} in {} or above", here.display()))
}
