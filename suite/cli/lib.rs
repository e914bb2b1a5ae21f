//! Composition: one command line over the trainer and the suite. There is no logic here; `lockstep-mutant` is the same
//! command line with other policies.
#![forbid(unsafe_code)]

mod compare;
mod diagnostic;
mod precision;
mod suite;

use clap::{Parser, Subcommand};
use engine::command::{DescribeCommand, DoctorCommand, PlanCommand, RecipesCommand, TrainCommand, VerifyCommand};
use engine::{EngineError, Policies};
use std::process::ExitCode;

/// Bitwise-deterministic pre-training, and the suite that proves it.
#[derive(Parser, Debug)]
#[command(name = "lockstep", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  lockstep recipes
  lockstep train --recipe dense-text
  lockstep run --recipe dense-ieee
  lockstep compare runs/one runs/two
  lockstep precision dense-ieee dense-bf16-ieee --align")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What a person or a driver can ask for.
#[derive(Subcommand, Debug)]
pub enum Command {
    Train(TrainCommand),
    Run(suite::RunCommand),
    Recipes(RecipesCommand),
    Plan(PlanCommand),
    Describe(DescribeCommand),
    Compare(compare::CompareCommand),
    Precision(precision::PrecisionCommand),
    Verify(VerifyCommand),
    Doctor(DoctorCommand),
    Golden(suite::GoldenCommand),
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
        driver::process::die_with_parent();
        let result = match self {
            Self::Run(command) => return command.run(policies),
            Self::Compare(command) => return command.run(),
            Self::Precision(command) => return command.run(policies).unwrap_or_else(|error| fail(&error)),
            Self::Golden(command) => return command.run(policies),
            Self::Train(command) => command.run(policies),
            Self::Recipes(command) => command.run(),
            Self::Describe(command) => command.run(policies),
            Self::Plan(command) => command.run(policies),
            Self::Verify(command) => command.run(),
            Self::Doctor(command) => command.run(),
        };
        result.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
    }
}

fn fail(error: &EngineError) -> ExitCode {
    eprintln!("{}", diagnostic::text(error));
    ExitCode::from(error.exit_code())
}
