//! The suite's commands: `run` and `golden propose`.
#![forbid(unsafe_code)]

use clap::{Args, Subcommand};
use driver::golden::ProposeCommand;
use driver::harness::{AdapterSource, run_command};
use driver::options::Options;
use engine::Policies;
use std::path::PathBuf;
use std::process::ExitCode;

/// The adapter of our own trainer.
const ADAPTER: &str = include_str!("../adapters/lockstep.yaml");

/// Try the claims of a recipe: the determinism suite without cargo.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep run --recipe dense-ieee
  lockstep run --recipe dense-ieee --level kernel --claim repeat,golden
  lockstep run --adapter my-trainer.yaml --recipe my-recipe --json report.json

The exit code is that of the worst verdict; the README lists them.")]
pub struct RunCommand {
    #[command(flatten)]
    options: Options,
}

impl RunCommand {
    pub fn run(mut self, policies: &Policies) -> ExitCode {
        self.options.tidy();
        run_command(&self.options, own_adapter(policies), &own_path())
    }
}

/// Look after golden files.
#[derive(Args, Debug)]
pub struct GoldenCommand {
    #[command(subcommand)]
    command: GoldenSubcommand,
}

#[derive(Subcommand, Debug)]
enum GoldenSubcommand {
    Propose(ProposeCommand),
}

impl GoldenCommand {
    pub fn run(&self, policies: &Policies) -> ExitCode {
        let GoldenSubcommand::Propose(command) = &self.command;
        command.run(own_adapter(policies), &own_path())
    }
}

/// What a binary plants, its trainers must get too: they are started without the environment of the suite.
pub(crate) fn own_adapter(policies: &Policies) -> AdapterSource {
    AdapterSource::BuiltIn(ADAPTER, policies.trainer_environment.clone())
}

/// This executable: the suite starts it again as the trainer.
pub(crate) fn own_path() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lockstep"))
}
