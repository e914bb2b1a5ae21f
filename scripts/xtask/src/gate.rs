//! Gates: sequences of commands, each an ordinary one that a person could type.
//!
//! A gate stops at the first command that fails. It adds nothing to what the commands do, so `--print` shows all of it.

use clap::{Args, ValueEnum};
use std::fs;
use std::path::Path;
use std::time::Instant;
use thiserror::Error;
use xshell::{Shell, cmd};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Which gate.
    gate: Gate,
    /// Prints the commands instead of running them.
    #[arg(long)]
    print: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Gate {
    /// Format, lints, rules, and the quick set of the suite: before every commit.
    Quick,
    /// All tests, and every recipe with all its claims: before every merge.
    Full,
    /// Every planted fault is caught by the claim and at the place that its row names.
    Faults,
    /// One flipped bit in every output of every room is caught and named.
    Sensitivity,
    /// Elementary functions over all 2^32 inputs.
    Exhaustive,
    /// The same goldens from builds of the profiles dev, release, and dev without optimisation.
    Profiles,
}

#[derive(Debug, Error)]
pub enum GateError {
    #[error("cannot list the recipes in {folder}: {reason}")]
    Recipes { folder: String, reason: String },
    #[error("gate stopped at step {step} of {steps}: {source}")]
    Step { step: usize, steps: usize, source: xshell::Error },
}

/// One command of a gate, with what it adds to the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    words: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
}

impl Step {
    fn new(command: &str) -> Self {
        Self { words: command.split_whitespace().map(str::to_owned).collect(), environment: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// The step as a person would type it.
    #[must_use]
    pub fn line(&self) -> String {
        let environment = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        environment.chain(self.words.iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    fn run(&self, shell: &Shell) -> xshell::Result<()> {
        let (program, arguments) = self.words.split_first().expect("a step has a program");
        cmd!(shell, "{program} {arguments...}").envs(self.environment.iter().copied()).quiet().run()
    }
}

/// Runs a gate, or prints it.
///
/// # Errors
/// When a command of the gate fails.
#[expect(clippy::disallowed_methods, reason = "says how long a step took; nothing depends on it")]
pub fn run(shell: &Shell, root: &Path, arguments: &Arguments) -> Result<(), GateError> {
    let steps = steps(arguments.gate, &recipes(root)?);
    for (index, step) in steps.iter().enumerate() {
        println!("[{}/{}] {}", index + 1, steps.len(), step.line());
        if arguments.print {
            continue;
        }
        let start = Instant::now();
        step.run(shell).map_err(|source| GateError::Step { step: index + 1, steps: steps.len(), source })?;
        println!("[{}/{}] passed in {:.0} s", index + 1, steps.len(), start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn steps(gate: Gate, recipes: &[String]) -> Vec<Step> {
    let checks = ["cargo fmt --all --check", "cargo clippy --workspace --all-targets -- -D warnings"];
    let lines: Vec<String> = match gate {
        Gate::Quick => {
            let rest = ["cargo test --package xtask", "cargo test --test determinism"];
            checks.into_iter().chain(rest).map(str::to_owned).collect()
        }
        Gate::Full => {
            let rest = ["cargo test --workspace"];
            let all = recipes.iter().map(|recipe| format!("cargo test --test determinism -- --recipe {recipe}"));
            // Last, so that it also looks into the binaries that the tests have built.
            let tidy = std::iter::once("cargo xtask tidy".to_owned());
            checks.into_iter().chain(rest).map(str::to_owned).chain(all).chain(tidy).collect()
        }
        Gate::Faults => vec!["cargo run --bin lockstep-mutant -- gate faults".to_owned()],
        Gate::Sensitivity => vec!["cargo run --bin lockstep-mutant -- gate sensitivity".to_owned()],
        Gate::Exhaustive => ["exhaustive", "tensor_core"]
            .map(|test| format!("cargo test --package numerics --test {test} -- --ignored"))
            .to_vec(),
        Gate::Profiles => return profiles(),
    };
    lines.iter().map(|line| Step::new(line)).collect()
}

/// Separate target folders: builds of different profiles must not replace each other's binaries.
fn profiles() -> Vec<Step> {
    let golden = |profile: &str, folder: &str| {
        Step::new(&format!(
            "cargo test {profile} --target-dir target/profiles/{folder} --test determinism -- --recipe dense-ieee --claim \
             golden"
        ))
    };
    vec![
        golden("--profile dev", "dev"),
        golden("--release", "release"),
        golden("--profile dev", "unoptimised").with("CARGO_PROFILE_DEV_OPT_LEVEL", "0"),
    ]
}

/// Names of the recipes, sorted.
fn recipes(root: &Path) -> Result<Vec<String>, GateError> {
    let folder = root.join("suite/recipes");
    let failed = |reason: String| GateError::Recipes { folder: folder.display().to_string(), reason };
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| failed(error.to_string()))? {
        let path = entry.map_err(|error| failed(error.to_string()))?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    if names.is_empty() {
        return Err(failed("there is none".to_owned()));
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests;
