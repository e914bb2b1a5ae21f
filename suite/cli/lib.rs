//! Composition: one command line over the trainer and the suite. There is no logic here; `lockstep-mutant` is the same
//! command line with other policies.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use driver::harness::{AdapterSource, run_command};
use driver::options::Options;
use engine::command::{DescribeCommand, PlanCommand, RecipesCommand, TrainCommand, VerifyCommand};
use engine::{EngineError, Policies};
use std::process::ExitCode;

/// The adapter of the reference trainer.
pub const ADAPTER: &str = include_str!("../adapters/lockstep.yaml");

/// Bitwise-deterministic pre-training, and the suite that proves it.
#[derive(Parser, Debug)]
#[command(name = "lockstep", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What a person or a driver can ask for.
#[derive(Subcommand, Debug)]
pub enum Command {
    Train(TrainCommand),
    Recipes(RecipesCommand),
    Describe(DescribeCommand),
    Plan(PlanCommand),
    Verify(VerifyCommand),
    Run(Box<Options>),
}

impl Cli {
    /// Runs the command with the policies of the binary.
    #[must_use]
    pub fn run(self, policies: &Policies) -> ExitCode {
        self.command.run(policies)
    }
}

impl Command {
    /// Runs the command with the policies of the binary.
    #[must_use]
    pub fn run(self, policies: &Policies) -> ExitCode {
        let result = match self {
            Self::Train(command) => command.run(policies),
            Self::Recipes(command) => command.run(),
            Self::Describe(command) => command.run(policies),
            Self::Plan(command) => command.run(policies),
            Self::Verify(command) => command.run(),
            Self::Run(options) => return suite(*options),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        }
    }
}

/// The suite, over this very executable unless the options name another trainer.
fn suite(mut options: Options) -> ExitCode {
    options.tidy();
    match std::env::current_exe() {
        Ok(trainer) => run_command(&options, AdapterSource::BuiltIn(ADAPTER), &trainer),
        Err(error) => {
            eprintln!("error: this executable cannot be found, so the suite has no trainer: {error}");
            ExitCode::from(contract::verdict::Verdict::Infra.exit_code())
        }
    }
}

fn fail(error: &EngineError) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(error.exit_code())
}
