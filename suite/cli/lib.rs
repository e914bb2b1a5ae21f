//! Composition: one command line over the trainer and the suite. There is no logic here; `lockstep-mutant` is the same
//! command line with other policies.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use engine::command::{DescribeCommand, PlanCommand, RecipesCommand, TrainCommand, VerifyCommand};
use engine::{EngineError, Policies};
use std::process::ExitCode;

/// Bitwise-deterministic pre-training, and the suite that proves it.
#[derive(Parser, Debug)]
#[command(name = "lockstep", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Train(TrainCommand),
    Recipes(RecipesCommand),
    Describe(DescribeCommand),
    Plan(PlanCommand),
    Verify(VerifyCommand),
}

impl Cli {
    /// Runs the command with the policies of the binary.
    #[must_use]
    pub fn run(self, policies: &Policies) -> ExitCode {
        let result = match self.command {
            Command::Train(command) => command.run(policies),
            Command::Recipes(command) => command.run(),
            Command::Describe(command) => command.run(policies),
            Command::Plan(command) => command.run(policies),
            Command::Verify(command) => command.run(),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        }
    }
}

fn fail(error: &EngineError) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(error.exit_code())
}
