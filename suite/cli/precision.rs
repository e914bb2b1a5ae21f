//! `precision A B`: two recipes that differ in their precision, against each other and against f64.
#![forbid(unsafe_code)]

use crate::suite::{own_adapter, own_path};
use clap::Args;
use contract::verdict::Verdict;
use driver::harness::person_looks;
use driver::precision::{self, Comparison};
use driver::runner::Runner;
use engine::command::{Pair, PairOptions, Side, pair};
use engine::{EngineError, Policies};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Longest time of a run with its shadow.
const TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// Compare the accuracy of two recipes that differ in profile and precision alone.
///
/// Both are run, each in a process of its own and with an f64 shadow: the same plan, carried out in f64 along with the
/// run from the same parameters. The report has both loss curves, the first tensor whose bits differ, and the error of
/// every tensor against the shadow. It gives no verdict.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep precision dense-ieee dense-bf16-ieee --align
  lockstep precision dense-bf16-ieee dense-hopper --align --steps 2 --out target/precision
  lockstep precision mine.yaml mine-bf16.yaml --json

Exit codes: 0 the report is made, 2 command line, 22 no evidence, 23 a run failed or the report cannot be written,
30 a recipe is not valid or the two cannot be compared, 33 the folder cannot be used.")]
pub struct PrecisionCommand {
    /// Name of a recipe, or path of a YAML file.
    first: String,
    /// The one that it is compared with.
    second: String,
    /// Steps to run; all of the recipes without it.
    #[arg(long, value_name = "COUNT")]
    steps: Option<u64>,
    /// Take everything but profile and precision of the second recipe from the first.
    #[arg(long)]
    align: bool,
    /// Override a key of `execution` in both: KEY=VALUE, repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder of runs and report, empty or new; default: target/lockstep/precision/FIRST-SECOND-NONCE.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the JSON report instead of tables.
    #[arg(long)]
    json: bool,
}

impl PrecisionCommand {
    /// Runs both and tells.
    ///
    /// # Errors
    /// When the recipes cannot be compared or the folder cannot be used.
    pub fn run(&self, policies: &Policies) -> Result<ExitCode, EngineError> {
        let stem = |recipe: &str| Path::new(recipe).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let named = || format!("{}-{}-{}", stem(&self.first), stem(&self.second), driver::nonce::draw());
        let out = self.out.clone().unwrap_or_else(|| Path::new("target/lockstep/precision").join(named()));
        let out = std::path::absolute(&out).map_err(|source| EngineError::trace(&out, source))?;
        if std::fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(EngineError::Occupied { path: out });
        }
        let options = PairOptions { steps: self.steps, set: self.set.clone(), align: self.align };
        let pair = pair([&self.first, &self.second], &options, policies, &out)?;
        Ok(self.compare(pair, policies, &out))
    }

    fn compare(&self, pair: Pair, policies: &Policies, out: &Path) -> ExitCode {
        let adapter = match own_adapter(policies).adapter(&own_path()) {
            Ok(adapter) => adapter,
            Err(error) => return refused(Verdict::Infra, &error),
        };
        let sides = pair.sides.map(|Side { name, recipe, recipe_digest, precision }| precision::Side {
            name,
            recipe,
            recipe_digest,
            precision,
        });
        let comparison = Comparison { sides, steps: pair.steps, set: pair.set, progress: person_looks() };
        match precision::compare(&Runner::new(adapter, TIMEOUT), &comparison, out) {
            Ok(report) if self.json => print!("{}", precision::json(&report)),
            Ok(report) => println!("{}", precision::text(&report, out)),
            Err(error) => return refused(error.verdict(), &error),
        }
        ExitCode::SUCCESS
    }
}

fn refused(verdict: Verdict, error: &dyn std::error::Error) -> ExitCode {
    eprintln!("{verdict}: {error}");
    ExitCode::from(verdict.exit_code())
}
