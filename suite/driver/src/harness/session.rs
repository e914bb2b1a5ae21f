//! What all trials of one call share.

use super::place::Surroundings;
use super::prepare::Prepared;
use super::specs;
use super::trial::Halt;
use crate::nonce;
use crate::options::Options;
use crate::report::Bus;
use crate::run_directory::{Invocation, SharedRuns};
use crate::runner::{RunOutput, RunSpec, Runner};
use contract::description::{Description, PartDescription};
use contract::request::Part;
use judge::ledger::Problem;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// One call of the suite.
pub struct Session {
    pub runner: Runner,
    pub invocation: Invocation,
    shared: SharedRuns,
    pub bus: Bus,
    pub seed: u64,
    /// Holds `suite/mustpass` and `golden`.
    pub root: PathBuf,
    /// Folder of the report files.
    pub reports: PathBuf,
    pub keep: bool,
    steps: Option<u64>,
    descriptions: Vec<Description>,
    problems: OnceLock<Result<Vec<Problem>, String>>,
}

impl Session {
    pub fn open(options: &Options, prepared: &Prepared, surroundings: &Surroundings) -> Result<Self, String> {
        let runs = surroundings.runs(&prepared.root);
        let named = |error: std::io::Error| format!("cannot use {}: {error}", runs.display());
        let invocation = Invocation::open(&runs).map_err(named)?;
        Ok(Self {
            runner: prepared.runner.clone(),
            shared: invocation.shared().map_err(named)?,
            bus: Bus::default(),
            seed: options.seed.unwrap_or_else(draw_seed),
            root: prepared.root.clone(),
            reports: runs.join("report"),
            keep: options.keep,
            steps: options.steps,
            descriptions: prepared.descriptions.clone(),
            problems: OnceLock::new(),
            invocation,
        })
    }

    /// The description of a recipe of this call.
    pub fn description(&self, recipe: &str) -> Result<&Description, Halt> {
        let found = self.descriptions.iter().find(|description| description.recipe == recipe);
        found.ok_or_else(|| Halt::Infra(format!("recipe `{recipe}` was not described")))
    }

    pub fn part(&self, recipe: &str, part: &Part) -> Result<&PartDescription, Halt> {
        let found = self.description(recipe)?.parts.iter().find(|description| description.part == *part);
        found.ok_or_else(|| Halt::Infra(format!("part `{part}` was not described")))
    }

    /// The index of the last step of a run, when it is to be cut short: by the option or by `limit`, a number of
    /// steps. `None`: it goes to its own end.
    pub fn stop_after(&self, part: &PartDescription, limit: Option<u64>) -> Option<u64> {
        let limits = [self.steps, limit].into_iter().flatten();
        limits.min().filter(|steps| *steps < part.steps).map(|steps| steps.saturating_sub(1))
    }

    /// A run that other trials may have made already. Its folder and checkpoint folder are chosen here.
    pub fn shared_run(&self, spec: &RunSpec) -> Result<RunOutput, Halt> {
        self.shared_by(&self.runner.key(spec), |directory| {
            let mut spec = spec.at(directory);
            spec.checkpoints = spec.checkpoints.map(|_| directory.join(specs::CHECKPOINTS));
            self.runner.run(&spec)
        })
    }

    /// A run that other trials may have made already, by a key that says all about it.
    pub fn shared_by(
        &self,
        key: &str,
        make: impl FnOnce(&Path) -> Result<RunOutput, crate::runner::RunError>,
    ) -> Result<RunOutput, Halt> {
        self.shared.get_or_make(key, make).map_err(Halt::Run)
    }

    /// Folder of the goldens.
    pub fn golden(&self) -> PathBuf {
        self.root.join("golden")
    }

    /// What is wrong with the goldens as a whole: edited, missing, without an owner.
    pub fn golden_problems(&self) -> Result<Vec<Problem>, Halt> {
        let check = || {
            let mut used = BTreeSet::new();
            for recipe in self.runner.recipes().map_err(|error| error.to_string())? {
                let description = match self.descriptions.iter().find(|description| description.recipe == recipe) {
                    Some(description) => description.clone(),
                    None => self.runner.describe(&recipe).map_err(|error| error.to_string())?,
                };
                used.extend(crate::golden::used(&description));
            }
            judge::ledger::check(&self.golden(), Some(&used))
        };
        self.problems.get_or_init(check).clone().map_err(Halt::NoGolden)
    }
}

/// A seed that is short enough to be typed.
fn draw_seed() -> u64 {
    let drawn = u64::from_str_radix(&nonce::draw()[..16], 16).expect("a nonce is hexadecimal");
    drawn % 1_000_000_000
}
