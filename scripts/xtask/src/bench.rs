//! Runs the benchmark programs in release, one after the other, so that they do not disturb each other; and, from a
//! workspace of their own, the wall time and the instruction counts of the kernels that matter.
//!
//! What they print is a report for people; nothing here is a verdict.

mod instructions;

use clap::{Args, Subcommand};
use thiserror::Error;
use xshell::{Shell, cmd};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Part of the name of the programs to run; all of them without it.
    filter: Option<String>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Measures the wall time of the kernels that matter, for each instruction set.
    #[command(after_help = "Example:\n  cargo xtask bench time attention")]
    Time {
        /// Part of the name of the kernels to measure; all of them without it.
        filter: Option<String>,
    },
    /// Counts the instructions of the kernels that matter under valgrind, and compares them with the committed table.
    #[command(after_help = "Example:\n  cargo xtask bench instructions\n  cargo xtask bench instructions --limit 1")]
    Instructions(instructions::Arguments),
}

/// A benchmark: an example program of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Program {
    package: &'static str,
    example: &'static str,
    measures: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program { package: "fingerprint", example: "fingerprint-throughput", measures: "bytes fingerprinted per second" },
    Program { package: "library", example: "attention_throughput", measures: "attention, forward and backward" },
    Program { package: "library", example: "matmul_throughput", measures: "matmul, forward, dgrad and wgrad" },
    Program { package: "numerics", example: "numerics-throughput", measures: "sums, elementary functions, products" },
    Program { package: "numerics", example: "tensor-core-throughput", measures: "tensor-core model, chain product" },
];

#[derive(Debug, Error)]
pub enum BenchError {
    #[error("no benchmark is called like `{filter}`; there are: {known}")]
    Unknown { filter: String, known: String },
    #[error(transparent)]
    Command(#[from] xshell::Error),
    #[error(transparent)]
    Instructions(#[from] instructions::InstructionsError),
}

/// The crate of the kernels that matter, which is in a workspace of its own, and where it is built.
const MANIFEST: &str = "scripts/bench/Cargo.toml";
const TARGET: &str = "target/bench";

/// Runs what was asked for and prints a table.
///
/// # Errors
/// When no program is called like the filter, one fails, or a tool is absent.
pub fn run(shell: &Shell, arguments: &Arguments) -> Result<(), BenchError> {
    match &arguments.what {
        None => programs(shell, arguments.filter.as_deref().unwrap_or("")),
        Some(What::Time { filter }) => Ok(cmd!(
            shell,
            "cargo bench --quiet --locked --manifest-path {MANIFEST} --target-dir {TARGET} --bench time -- {filter...}"
        )
        .quiet()
        .run()?),
        Some(What::Instructions(arguments)) => Ok(instructions::run(shell, arguments)?),
    }
}

fn programs(shell: &Shell, filter: &str) -> Result<(), BenchError> {
    let mut table = String::from("| program | result |\n| --- | --- |\n");
    for program in select(filter)? {
        eprintln!("{}: {}", program.example, program.measures);
        let Program { package, example, .. } = program;
        let output =
            cmd!(shell, "cargo run --release --quiet --package {package} --example {example}").quiet().read()?;
        table.push_str(&rows(program.example, &output));
    }
    print!("{table}");
    Ok(())
}

fn select(filter: &str) -> Result<Vec<Program>, BenchError> {
    let chosen: Vec<Program> = PROGRAMS.iter().copied().filter(|program| program.example.contains(filter)).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let known = PROGRAMS.iter().map(|program| program.example).collect::<Vec<_>>().join(", ");
    Err(BenchError::Unknown { filter: filter.to_owned(), known })
}

/// One row for each line that a program printed.
fn rows(program: &str, output: &str) -> String {
    let lines = output.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(|line| format!("| {program} | `{line}` |\n")).collect()
}

#[cfg(test)]
mod tests;
