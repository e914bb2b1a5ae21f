//! Verdicts: what a trial can end in, how bad it is, and the exit code that says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of one trial. The order of the variants is the order of precedence: the first of several verdicts in
/// this list is the verdict of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    ControlMissed,
    Invalid,
    Infra,
    Nondeterministic,
    ResumeBreak,
    Wrong,
    CensusGap,
    NotNeutral,
    WorldBreak,
    BackendBreak,
    Drift,
    EnvDrift,
    NoGolden,
    CoverageGap,
    Pass,
}

impl Verdict {
    /// Every verdict, worst first.
    pub const ALL: [Self; 15] = [
        Self::ControlMissed,
        Self::Invalid,
        Self::Infra,
        Self::Nondeterministic,
        Self::ResumeBreak,
        Self::Wrong,
        Self::CensusGap,
        Self::NotNeutral,
        Self::WorldBreak,
        Self::BackendBreak,
        Self::Drift,
        Self::EnvDrift,
        Self::NoGolden,
        Self::CoverageGap,
        Self::Pass,
    ];

    /// The process exit code. Stable: scripts depend on it.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Nondeterministic => 10,
            Self::Drift => 11,
            Self::EnvDrift => 12,
            Self::ResumeBreak => 13,
            Self::NotNeutral => 14,
            Self::WorldBreak => 15,
            Self::BackendBreak => 16,
            Self::Wrong => 17,
            Self::CensusGap => 18,
            Self::NoGolden => 19,
            Self::CoverageGap => 20,
            Self::ControlMissed => 21,
            Self::Invalid => 22,
            Self::Infra => 23,
        }
    }

    /// One sentence that says what the verdict means.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Pass => "Every claimed bit is equal.",
            Self::Nondeterministic => "Two fresh runs of one recipe gave different bits; this can never be blessed.",
            Self::Drift => "Two runs agree with each other and differ from the committed golden.",
            Self::EnvDrift => "An opaque variant differs from a golden that was made in another environment.",
            Self::ResumeBreak => "A killed and resumed run is not the run that was never killed.",
            Self::NotNeutral => "Something that must not matter changed the bits.",
            Self::WorldBreak => "The number of ranks or the parallel layout changed the bits.",
            Self::BackendBreak => "Two backends or variants of one contract gave different bits.",
            Self::Wrong => "The result is repeatable and outside the bound of an independent reference.",
            Self::CensusGap => "Live state and checkpoint do not hold the same leaves with the same bytes.",
            Self::NoGolden => "A golden is missing, has no owner, or is not the newest entry of its ledger.",
            Self::CoverageGap => "A trial that the recipe promises does not exist or did not run.",
            Self::ControlMissed => "A planted fault was not caught, so no green light of this run can be trusted.",
            Self::Invalid => "The evidence is empty, constant, not finite, or a pair that did not really differ.",
            Self::Infra => "The trial could not run; that is never a pass.",
        }
    }

    /// The verdict's name as printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Nondeterministic => "NONDETERMINISTIC",
            Self::Drift => "DRIFT",
            Self::EnvDrift => "ENV_DRIFT",
            Self::ResumeBreak => "RESUME_BREAK",
            Self::NotNeutral => "NOT_NEUTRAL",
            Self::WorldBreak => "WORLD_BREAK",
            Self::BackendBreak => "BACKEND_BREAK",
            Self::Wrong => "WRONG",
            Self::CensusGap => "CENSUS_GAP",
            Self::NoGolden => "NO_GOLDEN",
            Self::CoverageGap => "COVERAGE_GAP",
            Self::ControlMissed => "CONTROL_MISSED",
            Self::Invalid => "INVALID",
            Self::Infra => "INFRA",
        }
    }

    /// The worst of several verdicts; of none it is `COVERAGE_GAP`, since nothing was tried.
    #[must_use]
    pub fn worst(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts.into_iter().min().unwrap_or(Self::CoverageGap)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
