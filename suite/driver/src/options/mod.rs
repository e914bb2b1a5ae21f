//! The command line of the suite, shared by `cargo test --test determinism -- …` and `lockstep run …`.
//!
//! Everything that libtest knows works too: a filter, `--exact`, `--skip`, `--list`, `--format`, `--test-threads`.
//! Runners that pass no arguments of their own, such as nextest, set environment variables instead; an empty variable
//! counts as not set, and an argument goes before a variable.

mod environment;
mod refuse;

#[cfg(test)]
mod tests;

pub use environment::{VARIABLES, with_environment};
pub use refuse::refuse;

use clap::Parser;
use contract::claim::{Claim, Level};
use std::ffi::OsString;
use std::path::PathBuf;

const HEADING: &str = "Suite options";

const EXAMPLES: &str = "\
Examples:
  cargo test --test determinism -- --recipe dense-ieee
  cargo test --test determinism -- --recipe dense-ieee --level kernel --room rmsnorm
  cargo test --test determinism -- --recipe dense-ieee --claim resume --seed 7
  lockstep run --recipe dense-ieee --exact dense-ieee::end_to_end::repeat
  LOCKSTEP_RECIPE=dense-ieee cargo nextest run --test determinism";

/// Judges whether training is bitwise deterministic. Without a recipe the set `quick` runs.
#[derive(Clone, Debug, Parser)]
#[command(name = "determinism", disable_version_flag = true, after_help = EXAMPLES)]
pub struct Options {
    /// Recipe to judge; may be given several times or hold a list [env: LOCKSTEP_RECIPE]
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', help_heading = HEADING)]
    pub recipe: Vec<String>,

    /// Only trials of this level [env: LOCKSTEP_LEVEL]
    #[arg(long, value_enum, value_name = "LEVEL", value_delimiter = ',', help_heading = HEADING)]
    pub level: Vec<Level>,

    /// Only trials of this claim [env: LOCKSTEP_CLAIM]
    #[arg(long, value_enum, value_name = "CLAIM", value_delimiter = ',', help_heading = HEADING)]
    pub claim: Vec<Claim>,

    /// Only kernel trials of this room [env: LOCKSTEP_ROOM]
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', help_heading = HEADING)]
    pub room: Vec<String>,

    /// Alternatives that this machine must be able to run: absent is INFRA, not "not compared" [env: LOCKSTEP_REQUIRE]
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', help_heading = HEADING)]
    pub require: Vec<String>,

    /// Stop each run after this many steps; what needs a whole run is then not compared [env: LOCKSTEP_STEPS]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..), help_heading = HEADING)]
    pub steps: Option<u64>,

    /// Seed of the perturbation; drawn and printed when it is not given [env: LOCKSTEP_SEED]
    #[arg(long, value_name = "NUMBER", help_heading = HEADING)]
    pub seed: Option<u64>,

    /// Keep all run directories, not only those of failures [env: LOCKSTEP_KEEP]
    #[arg(long, help_heading = HEADING)]
    pub keep: bool,

    /// Trials at the same time; without this or --test-threads half as many as cores, and 2 [env: LOCKSTEP_JOBS]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..), help_heading = HEADING)]
    pub jobs: Option<u16>,

    /// Also write the JSON report here [env: LOCKSTEP_JSON]
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    pub json: Option<PathBuf>,

    /// Adapter file of the trainer; the built-in one when it is not given [env: LOCKSTEP_ADAPTER]
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    pub adapter: Option<PathBuf>,

    /// Executable that the adapter calls `trainer` [env: LOCKSTEP_TRAINER]
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    pub trainer: Option<PathBuf>,

    /// Folder that holds `suite/mustpass` and `golden`; found from the working directory upwards [env: LOCKSTEP_ROOT]
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    pub root: Option<PathBuf>,

    #[command(flatten)]
    pub libtest: libtest_mimic::Arguments,
}

/// A run has two threads in most recipes, and waits for its storage now and then.
#[expect(clippy::disallowed_methods, reason = "how many trials run at once reaches no bit")]
fn jobs() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().div_ceil(2) + 2)
}

impl Options {
    /// Parses the arguments of a process (its own name first) and the variables that `variable` knows.
    ///
    /// # Errors
    /// As clap; `--help` is an "error" too.
    pub fn parse_with(
        arguments: impl IntoIterator<Item = OsString>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, clap::Error> {
        let mut options = Self::try_parse_from(with_environment(arguments.into_iter().collect(), 1, variable))?;
        options.tidy();
        Ok(options)
    }

    /// Drops empty names, as lists from variables have them, and settles how many trials run at once.
    pub fn tidy(&mut self) {
        for list in [&mut self.recipe, &mut self.room, &mut self.require] {
            list.retain(|name| !name.trim().is_empty());
        }
        let threads = self.jobs.map(usize::from).or(self.libtest.test_threads).unwrap_or_else(jobs);
        self.libtest.test_threads = Some(threads);
    }

    /// Whether the options leave out trials of a recipe, other than by name.
    #[must_use]
    pub fn narrows(&self) -> bool {
        !self.level.is_empty() || !self.claim.is_empty() || !self.room.is_empty() || self.steps.is_some()
    }

    /// Whether libtest's filter lets a trial through.
    #[must_use]
    pub fn filter_matches(&self, name: &str) -> bool {
        let matches = |filter: &str| if self.libtest.exact { name == filter } else { name.contains(filter) };
        self.libtest.filter.as_deref().is_none_or(matches) && !self.libtest.skip.iter().any(|skip| matches(skip))
    }
}
