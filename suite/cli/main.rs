//! `lockstep`: the trainer and the suite.
#![forbid(unsafe_code)]

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    lockstep::Cli::parse().run(&engine::Policies::standard())
}
