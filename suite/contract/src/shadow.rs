//! `shadow.json`: how far a run is from the same plan carried out in f64 along with it. A report, never evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the file in a trace directory.
pub const SHADOW: &str = "shadow.json";

/// What a run with `shadow` in its request leaves beside its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShadowFile {
    pub schema: u32,
    pub steps: Vec<ShadowStep>,
    /// In the order of execution.
    pub tensors: Vec<TensorError>,
    /// Kernels without an f64 oracle: what they write was taken from the run.
    pub not_shadowed: Vec<String>,
}

/// Losses of one step, in nats a token. `None`: the part or the step has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShadowStep {
    pub step: u64,
    /// Gradients were not finite; the step enters no error of a tensor.
    pub skipped: bool,
    /// Language-model loss.
    pub loss: Option<f64>,
    pub shadow_loss: Option<f64>,
    /// Language-model loss on held-out text, where the step ended with an evaluation.
    pub held_out: Option<f64>,
    pub shadow_held_out: Option<f64>,
}

/// Where a tensor stands in a step, whatever kernel and dtype it has: what two recipes have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub phase: String,
    /// Module path: `layers.0.attention`.
    pub module: String,
    pub tensor: String,
    /// How many tensors of this phase, module and name the plan writes before it.
    pub occurrence: u64,
}

/// Errors of one output of one node, over all elements, calls and steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorError {
    pub place: Place,
    pub op: String,
    pub contract: String,
    /// Storage format: `f32`, `bf16`, `fp16`.
    pub dtype: String,
    pub shape: Vec<u64>,
    /// Elements that were compared.
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
    /// `relative_rms` of each step that has the tensor: step, value.
    pub by_step: Vec<(u64, Option<f64>)>,
}
