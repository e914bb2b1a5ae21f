//! `compare A B`: two traces or two checkpoints.
#![forbid(unsafe_code)]

use clap::Args;
use contract::claim::Claim;
use engine::checkpoint::compare_checkpoints;
use judge::report::failure_text;
use judge::{Mode, Pair};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code when the two are no traces and no checkpoints.
const UNREADABLE: u8 = 32;

/// Compare two trace directories, or two checkpoint directories, bit for bit.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep compare runs/one runs/two
  lockstep compare --state runs/one runs/fused
  lockstep compare runs/one/checkpoints runs/two/checkpoints

Exit codes: 0 equal, 10 different, 22 no evidence, 32 not readable.")]
pub struct CompareCommand {
    left: PathBuf,
    right: PathBuf,
    /// Compare state and scalars only: for runs whose plans differ.
    #[arg(long)]
    state: bool,
}

impl CompareCommand {
    pub fn run(&self) -> ExitCode {
        if self.left.join("run.json").exists() && self.right.join("run.json").exists() {
            return self.traces();
        }
        if let Some(missing) = [&self.left, &self.right].into_iter().find(|path| !path.is_dir()) {
            eprintln!(
                "error: {} is no directory\n  expected: a trace directory (with run.json) or a checkpoint directory\n  do: check the path",
                missing.display()
            );
            return ExitCode::from(UNREADABLE);
        }
        match compare_checkpoints(&self.left, &self.right) {
            Ok(comparison) => {
                print!("{comparison}");
                ExitCode::from(if comparison.differences.is_empty() { 0 } else { 10 })
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(UNREADABLE)
            }
        }
    }

    fn traces(&self) -> ExitCode {
        let mode = if self.state { Mode::State } else { Mode::Strict };
        let claim = if self.state { Claim::Neutral } else { Claim::Repeat };
        let outcome = judge::compare::compare(&Pair::new(claim, mode, "compare", &self.left, &self.right));
        if outcome.passed() {
            let counts = &outcome.counts;
            println!("equal: {} items over {} steps", counts.items, counts.steps);
        } else {
            let again = format!("lockstep compare {} {}", self.left.display(), self.right.display());
            println!("{}", failure_text(&outcome, &again, "record both again with --observe op", &self.left));
        }
        ExitCode::from(outcome.verdict.exit_code())
    }
}
