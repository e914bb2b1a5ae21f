//! What a trial ended in, with the evidence for it. One [`Outcome`] is one entry of the JSON report.

use crate::divergence::Divergence;
use crate::evidence::EvidenceError;
use contract::claim::Claim;
use contract::verdict::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of one trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub verdict: Verdict,
    pub claim: Claim,
    pub trial: String,
    /// One sentence: what was found.
    pub message: String,
    pub divergence: Option<Divergence>,
    pub counts: Counts,
    /// The evidence in words: what was compared, and how much of it.
    pub facts: Vec<String>,
    /// What a reader might think was compared and was not.
    pub not_compared: Vec<String>,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub ranks: u64,
    pub steps: u64,
    /// Records, or leaves, scalars and tensors, that were compared.
    pub items: u64,
    /// Frames whose stored bytes are equal, so that nobody had to look inside.
    pub frames_equal: u64,
    pub frames_unpacked: u64,
}

impl Counts {
    fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        if self.steps > 0 {
            facts.push(format!("{} steps of {} ranks compared", self.steps, self.ranks));
        }
        if self.frames_equal + self.frames_unpacked > 0 {
            facts.push(format!("{} frames equal as stored, {} unpacked", self.frames_equal, self.frames_unpacked));
        }
        facts.push(format!("{} items compared", self.items));
        facts
    }
}

impl Outcome {
    /// An outcome without a divergence.
    #[must_use]
    pub fn new(verdict: Verdict, claim: Claim, trial: &str, message: impl Into<String>) -> Self {
        Self {
            verdict,
            claim,
            trial: trial.to_owned(),
            message: message.into(),
            divergence: None,
            counts: Counts::default(),
            facts: Vec::new(),
            not_compared: Vec::new(),
        }
    }

    /// The evidence is none: verdict INVALID.
    #[must_use]
    pub fn invalid(claim: Claim, trial: &str, error: &EvidenceError) -> Self {
        Self::new(Verdict::Invalid, claim, trial, error.to_string())
    }

    /// Adds the counts and says them in words.
    #[must_use]
    pub fn counted(mut self, counts: Counts) -> Self {
        self.facts.extend(counts.facts());
        self.counts = counts;
        self
    }

    #[must_use]
    pub fn at(mut self, divergence: Divergence) -> Self {
        self.divergence = Some(divergence);
        self
    }

    #[must_use]
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }
}

/// The verdict when the bits of a claim differ.
#[must_use]
pub const fn broken(claim: Claim) -> Verdict {
    match claim {
        Claim::Repeat => Verdict::Nondeterministic,
        Claim::Golden => Verdict::Drift,
        Claim::Resume => Verdict::ResumeBreak,
        Claim::Neutral | Claim::Fused => Verdict::NotNeutral,
        Claim::Backend => Verdict::BackendBreak,
        Claim::Reference => Verdict::Wrong,
        Claim::Census => Verdict::CensusGap,
    }
}
