//! The report as data; its JSON form has a published schema.

use super::heat::HeatMap;
use contract::SCHEMA;
use contract::claim::{Claim, Level};
use contract::verdict::Verdict;
use judge::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything about one call of the suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub schema: u32,
    /// The worst verdict of all trials.
    pub verdict: Verdict,
    /// Exit code of the verdict; a runner in between may hide it.
    pub exit_code: u8,
    pub sentence: String,
    /// Seed of the perturbations.
    pub seed: u64,
    pub recipes: Vec<RecipeReport>,
    pub trials: Vec<TrialReport>,
    pub not_compared: Vec<NotCompared>,
    pub kill_points: KillCounts,
    /// Where it ran, from the traces; never compared.
    pub environment: BTreeMap<String, String>,
    /// Folder of the run directories.
    pub runs: PathBuf,
    pub milliseconds: u64,
}

/// One recipe of the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipeReport {
    pub name: String,
    pub recipe_digest: String,
    /// `None` while it runs.
    pub verdict: Option<Verdict>,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialReport {
    pub trial: String,
    pub recipe: String,
    /// `None` for trials about the recipe as a whole.
    pub level: Option<Level>,
    pub claim: Option<Claim>,
    pub outcome: Outcome,
    /// At most twelve lines; empty when the trial passed.
    pub failure: String,
    pub reproduce: String,
    pub kill_points: KillCounts,
    /// Rank by step, for a comparison that failed.
    pub heat_map: Option<HeatMap>,
    /// Run directories that the trial looked at, when they are kept.
    pub runs: Vec<PathBuf>,
    pub environment: BTreeMap<String, String>,
    pub milliseconds: u64,
}

/// Kill points: listed by an uninterrupted run, at which a run was killed, and from which one was resumed. Unequal
/// numbers are red.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillCounts {
    pub listed: u64,
    pub killed: u64,
    pub resumed: u64,
}

impl KillCounts {
    #[must_use]
    pub const fn complete(self) -> bool {
        self.listed == self.killed && self.killed == self.resumed
    }

    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            listed: self.listed + other.listed,
            killed: self.killed + other.killed,
            resumed: self.resumed + other.resumed,
        }
    }
}

/// A trial that this call left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotCompared {
    pub trial: String,
    pub reason: String,
}

/// What a call will take, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub seconds: u64,
    pub disk_bytes: u64,
    pub runs: u64,
}

impl Report {
    /// Failed trials, worst verdict first.
    #[must_use]
    pub fn failures(&self) -> Vec<&TrialReport> {
        let mut failures: Vec<_> = self.trials.iter().filter(|trial| !trial.outcome.passed()).collect();
        failures.sort_by_key(|trial| trial.outcome.verdict);
        failures
    }

    /// An empty report. Its verdict is COVERAGE_GAP: nothing was tried.
    #[must_use]
    pub fn empty(seed: u64, runs: PathBuf) -> Self {
        let verdict = Verdict::worst([]);
        Self {
            schema: SCHEMA,
            verdict,
            exit_code: verdict.exit_code(),
            sentence: verdict.sentence().to_owned(),
            seed,
            recipes: Vec::new(),
            trials: Vec::new(),
            not_compared: Vec::new(),
            kill_points: KillCounts::default(),
            environment: BTreeMap::new(),
            runs,
            milliseconds: 0,
        }
    }
}

/// The JSON schema of the report, as published.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    text
}
