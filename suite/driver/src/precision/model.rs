//! The report as data; its JSON form has a published schema. Pairs are first and second recipe, in that order.

use contract::shadow::Place;
use judge::Divergence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Two recipes, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrecisionReport {
    pub schema: u32,
    pub sides: [SideReport; 2],
    /// Attempted steps of each run.
    pub steps: u64,
    pub losses: Vec<Losses>,
    /// The first tensor that the two runs do not share bit for bit; left is the first recipe.
    pub parting: Option<Divergence>,
    /// Largest difference of the two shadows' losses, relative to them. The shadows compute the same, so it is 0 or
    /// rounding of f64, unless the two runs skipped different steps.
    pub shadow_gap: f64,
    /// Worst first, by the larger relative error of the two sides.
    pub tensors: Vec<TensorRow>,
    /// Kernels without an f64 oracle: what they write was taken from the run.
    pub not_shadowed: Vec<String>,
}

/// One recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideReport {
    pub name: String,
    pub recipe_digest: String,
    /// Profile and precision in words.
    pub precision: String,
    /// Steps that were skipped because gradients were not finite.
    pub skipped: Vec<u64>,
    /// Folder of the run.
    pub run: PathBuf,
}

/// Language-model losses of one step in nats a token; `None` where a side has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Losses {
    pub step: u64,
    pub loss: [Option<f64>; 2],
    /// Of the first recipe's shadow.
    pub shadow: Option<f64>,
    /// Second minus first.
    pub difference: Option<f64>,
    /// Each minus its own shadow.
    pub error: [Option<f64>; 2],
    pub held_out: [Option<f64>; 2],
    pub shadow_held_out: Option<f64>,
}

/// One tensor, at its place in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorRow {
    pub place: Place,
    /// `None`: that recipe's plan does not have the tensor, as fp32 has no masters.
    pub sides: [Option<Errors>; 2],
}

/// Errors of one tensor against the shadow, over all elements, calls and steps that were not skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    pub op: String,
    pub contract: String,
    /// Storage format.
    pub dtype: String,
    pub elements: u64,
    /// Elements that are not finite on one side; they enter no error.
    pub not_finite: u64,
    /// Largest absolute error, in the tensor's own unit.
    pub max_abs: f64,
    /// √(Σ error² / Σ shadow²); `None`: the shadow is zero everywhere and the tensor is not.
    pub relative_rms: Option<f64>,
    /// Largest error in ulp of the storage format at the shadow's value.
    pub max_ulp: f64,
    /// Root mean square of the error in ulp at the root mean square of the shadow.
    pub rms_ulp: f64,
    /// Step and `relative_rms` of it.
    pub by_step: Vec<(u64, Option<f64>)>,
}

impl Errors {
    /// What rows are ordered by: NaN and Inf come first, then errors without a relative size, then the larger ones.
    #[must_use]
    pub fn badness(&self) -> f64 {
        if self.not_finite > 0 { f64::INFINITY } else { self.relative_rms.unwrap_or(f64::MAX) }
    }
}

impl TensorRow {
    /// Of the worse side.
    #[must_use]
    pub fn badness(&self) -> f64 {
        self.sides.iter().flatten().map(Errors::badness).fold(0.0, f64::max)
    }
}

/// The JSON schema of the report, as published.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(PrecisionReport);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    text
}
