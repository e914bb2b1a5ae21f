//! The command line.

use crate::{bench, bless, gate, new, tidy};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xshell::Shell;

/// Development commands of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks the rules of the tree that no compiler keeps.
    #[command(after_help = "Example:\n  cargo xtask tidy\n  cargo xtask tidy --rules")]
    Tidy {
        /// Prints the rules instead of checking them.
        #[arg(long)]
        rules: bool,
    },
    /// Runs a sequence of commands that decides whether a change may be merged.
    #[command(after_help = "Example:\n  cargo xtask gate quick\n  cargo xtask gate full --print")]
    Gate(gate::Arguments),
    /// Changes golden files on purpose, with a reason that stays in the ledger.
    #[command(after_help = "Example:\n  cargo xtask bless dense-ieee --reason \"matmul.chain.v2: K is padded to 16\"")]
    Bless(bless::Arguments),
    /// Writes the skeleton of a room, a recipe or a claim.
    #[command(after_help = "Example:\n  cargo xtask new room gelu\n  cargo xtask new room lion --group optim\n  \
                            cargo xtask new recipe dense-small\n  cargo xtask new claim overlap")]
    New(new::Arguments),
    /// Runs the benchmark programs and prints what they measure.
    #[command(after_help = "Example:\n  cargo xtask bench\n  cargo xtask bench matmul\n  \
                            cargo xtask bench time attention\n  cargo xtask bench instructions")]
    Bench(bench::Arguments),
}

/// Runs a command of `cargo xtask`.
#[must_use]
pub fn cli_main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), String> {
    let root = root();
    let shell = Shell::new().map_err(|error| error.to_string())?;
    shell.change_dir(&root);
    match command {
        Command::Tidy { rules: true } => {
            tidy::CHECKS.iter().for_each(|check| println!("{:<14} {}", check.name, check.rule));
            Ok(())
        }
        Command::Tidy { rules: false } => tidy_up(&root),
        Command::Gate(arguments) => gate::run(&shell, &root, &arguments).map_err(|error| error.to_string()),
        Command::Bless(arguments) => bless::run(&shell, &root, &arguments).map_err(|error| error.to_string()),
        Command::New(arguments) => new::run(&root, &arguments).map_err(|error| error.to_string()),
        Command::Bench(arguments) => bench::run(&shell, &arguments).map_err(|error| error.to_string()),
    }
}

fn tidy_up(root: &Path) -> Result<(), String> {
    let subject = tidy::Subject::read(root).map_err(|error| error.to_string())?;
    let findings = tidy::run(&subject);
    for (check, finding) in &findings {
        println!("[{check}] {finding}");
    }
    if findings.is_empty() {
        println!("tidy: {} rules kept by {} files", tidy::CHECKS.len(), subject.files.len());
        return Ok(());
    }
    Err(format!("{} findings; `cargo xtask tidy --rules` lists the rules", findings.len()))
}

/// The root of the workspace: two folders above this crate.
fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).expect("the crate lies two folders below the root").to_owned()
}

#[cfg(test)]
mod tests;
