//! `lockstep-mutant`: the same command line with a planted fault, and the gates that show that the suite notices it.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The trainer with planted faults. The environment variable LOCKSTEP_FAULT names the fault; without it there is none.
#[derive(Parser, Debug)]
#[command(name = "lockstep-mutant", version, arg_required_else_help = true)]
struct Mutant {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    #[command(subcommand)]
    Gate(faults::gate::Gate),
    #[command(flatten)]
    Lockstep(lockstep::Command),
}

fn main() -> ExitCode {
    match Mutant::parse().command {
        Command::Gate(gate) => gate.run(),
        Command::Lockstep(command) => faults::with_planted(|policies| command.run(policies)),
    }
}
