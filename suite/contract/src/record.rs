//! One line of a trace. A record holds nothing volatile: equal runs write equal bytes.

use fingerprint::Fingerprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that happened, in the order in which the rank executed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Counts from 0 without a gap.
    pub seq: u64,
    /// Attempted step, from 0. In a kernel part: the index of the case.
    pub step: u64,
    /// `data`, `forward`, `backward`, `reduce`, `optimizer`, `eval`, `state`; in a kernel part the case's name.
    /// Right after a load: `restored`, for state records whose step is the last one that the checkpoint has behind it.
    pub phase: String,
    #[serde(flatten)]
    pub body: Body,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Body {
    /// A tensor at the edge of a node.
    Tensor(TensorRecord),
    /// A leaf of the state after a step, named `section/leaf`.
    State {
        leaf: String,
        dtype: String,
        shape: Vec<u64>,
        #[schemars(with = "String")]
        fingerprint: Fingerprint,
    },
    /// A number, as hexadecimal bits: `3f800000`.
    Scalar { name: String, bits: String },
    /// An act whose order is part of the contract, such as the reduction of a bucket.
    Event { name: String, detail: String },
    /// The result of comparing a tensor with an independent reference. Errors are in thousandths of the bound that
    /// the dtype and the number of operations allow; 1000 or less is within it.
    Check { name: String, elements: u64, worst_thousandths: u64 },
    /// The run is complete. The last record of a complete trace.
    End { steps: u64 },
}

/// A tensor that a node read or wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TensorRecord {
    /// Node of the plan; stable under passes that do not concern it.
    pub node: String,
    /// Module path: `layers.0.attention`.
    pub module: String,
    pub op: String,
    pub contract: String,
    pub variant: String,
    pub tensor: String,
    pub dtype: String,
    pub shape: Vec<u64>,
    pub role: Role,
    /// How often the buffer had been written when the tensor was recorded.
    pub version: u64,
    #[schemars(with = "String")]
    pub fingerprint: Fingerprint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    In,
    Out,
}
