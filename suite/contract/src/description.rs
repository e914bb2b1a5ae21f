//! What a trainer says of a recipe when it is asked to `describe` it: the parts that can be tried, the claims of each,
//! and the alternatives that must not matter.

use crate::claim::Claim;
use crate::request::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Answer to `describe`, one JSON document on standard output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Description {
    pub schema: u32,
    pub recipe: String,
    pub about: String,
    pub recipe_digest: String,
    pub parts: Vec<PartDescription>,
    /// Sections that the state of an end-to-end run must have, each with at least one leaf.
    pub sections: Vec<String>,
    /// Phases of a step, in order.
    pub phases: Vec<String>,
    /// Bytes of one checkpoint.
    pub checkpoint_bytes: u64,
    /// Rough multiply-adds of one step, for the estimate of time.
    pub step_macs: u64,
    /// Counters of which at least one differs between a plain and a perturbed run of any part: proof that a
    /// perturbation took place. Empty: the trainer cannot be perturbed, and a report says so.
    #[serde(default)]
    pub perturbation_counters: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartDescription {
    pub part: Part,
    /// Claims that are tried on this part.
    pub claims: Vec<Claim>,
    /// Steps of the part; cases of a kernel part.
    pub steps: u64,
    /// Whether the part has state that outlives a step, and so can be saved, killed and resumed.
    pub stateful: bool,
    /// Whether a save of this part is made of the same operations as one of the whole recipe, so that what can happen
    /// to a save may be tried here, where a step is cheap. False for end-to-end parts, whose saves they are.
    #[serde(default)]
    pub saves_as_whole: bool,
    /// Contracts that the part executes: golden files are keyed by them.
    pub contracts: Vec<String>,
    /// Runs whose bits must equal those of the part's plain run.
    pub alternatives: Vec<Alternative>,
}

/// One way to run a part that must not change a bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// `neutral`, `backend` or `fused`.
    pub claim: Claim,
    /// Unique among the alternatives of the part: `recompute_full`.
    pub name: String,
    /// Overrides of `execution`, by dotted key.
    pub set: BTreeMap<String, serde_json::Value>,
    /// Observe level of the alternative run, when that is what differs.
    pub observe: Option<crate::execution::ObserveLevel>,
    /// Counters that must not be equal to those of the plain run: proof that the pair differs.
    pub differs_in: Vec<String>,
    /// Stop both runs of the pair after this many steps; `None` runs all.
    pub steps: Option<u64>,
    /// Whether this machine can make the run.
    #[serde(default)]
    pub presence: Presence,
}

/// Whether a machine can make a run. Descriptions list every alternative on every machine, so that the list of trials
/// is the same everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    #[default]
    Present,
    /// On this machine the plain run is already made this way, so there is no pair.
    Plain,
    /// This machine lacks what the run needs: an instruction set, a device.
    Absent,
}
