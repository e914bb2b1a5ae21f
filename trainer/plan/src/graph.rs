//! Values, nodes, templates and the plan that is made of them.

use contract::request::Part;
use library::room::RoomError;
use library::room::ValueId;
use library::tensor::Spec;
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PlanError {
    #[error("{0}")]
    Semantics(#[from] crate::semantics::Invalid),
    #[error("`{key}` is {found}; expected {expected}")]
    Execution { key: &'static str, found: String, expected: String },
    #[error("node {node}: {source}")]
    Room { node: String, source: RoomError },
    #[error("the recipe has no part `{part}`.{} Its parts: {known}", suggestion(nearest.as_ref()))]
    Part { part: String, nearest: Option<String>, known: String },
    #[error("mutation `{mutation}` matches no node of the plan")]
    Mutation { mutation: String },
    #[error("random stream {stream} is used by `{first}` and by `{second}`")]
    Stream { stream: u32, first: String, second: String },
}

/// " Did you mean …?", or nothing.
pub(crate) fn suggestion(nearest: Option<&String>) -> String {
    nearest.map(|nearest| format!(" Did you mean `{nearest}`?")).unwrap_or_default()
}

/// When in a step a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Init,
    Data,
    Forward,
    Backward,
    Reduce,
    Optimizer,
    Eval,
}

impl Phase {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Data => "data",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Reduce => "reduce",
            Self::Optimizer => "optimizer",
            Self::Eval => "eval",
        }
    }
}

/// What a value is for, and so how long it lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// A leaf of the state, saved and compared: `section/leaf`.
    State(String),
    /// Written by the host before a template runs.
    Host,
    /// Lives from step to step or from template to template, and is rebuilt, not saved.
    Persistent,
    /// Lives inside one run of one template.
    Transient,
}

/// A tensor of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    pub name: String,
    pub spec: Spec,
    pub kind: ValueKind,
    /// Buffer that holds it; set by the memory pass.
    pub slot: usize,
}

/// What the host does as a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAction {
    /// Copies tokens, targets, document starts, positions and counts of a micro-batch into host values.
    StageBatch,
    /// The same for held-out rows.
    StageEvaluation,
    /// Writes the constant tables.
    StageTables,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// `module/kernel/phase`, unique in the plan.
    pub id: String,
    pub module: String,
    pub kernel: String,
    pub contract: String,
    pub variant: String,
    pub attributes: serde_json::Value,
    pub inputs: Vec<ValueId>,
    /// The first `in_place` of them are read and updated.
    pub outputs: Vec<ValueId>,
    pub in_place: usize,
    pub phase: Phase,
    /// Set when the node repeats a forward node in the backward pass.
    pub recomputed: bool,
    /// Bucket that the node belongs to, in the reduce template.
    pub bucket: Option<usize>,
    /// Set for nodes of the host.
    pub host: Option<HostAction>,
    /// Transient values whose last reader this node is; set by the memory pass.
    pub releases: Vec<ValueId>,
}

/// A list of nodes that runs a known number of times in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Template {
    pub name: String,
    /// Runs in a step; for `init`: once, for `evaluate`: in a step with an evaluation.
    pub repeats: usize,
    pub nodes: Vec<Node>,
}

/// A random stream and who draws from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamUse {
    pub stream: u32,
    pub name: String,
}

/// The plan of one part of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub recipe: String,
    pub recipe_digest: String,
    pub part: Part,
    pub values: Vec<Value>,
    pub templates: Vec<Template>,
    /// Bytes of each buffer.
    pub slots: Vec<usize>,
    pub streams: Vec<StreamUse>,
    /// Micro-batch in units, and how many of them a step has.
    pub micro_batch_units: usize,
    pub micro_batches: usize,
    pub steps: u64,
}

impl Plan {
    #[must_use]
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0]
    }

    #[must_use]
    pub fn template(&self, name: &str) -> Option<&Template> {
        self.templates.iter().find(|template| template.name == name)
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<ValueId> {
        self.values.iter().position(|value| value.name == name).map(ValueId)
    }

    /// State leaves in the order of their names' sections: (leaf, value).
    #[must_use]
    pub fn state(&self) -> Vec<(&str, ValueId)> {
        let mut leaves: Vec<_> = self
            .values
            .iter()
            .enumerate()
            .filter_map(|(index, value)| match &value.kind {
                ValueKind::State(leaf) => Some((leaf.as_str(), ValueId(index))),
                _ => None,
            })
            .collect();
        leaves.sort_unstable();
        leaves
    }

    /// Bytes of all buffers: known before the first step.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.slots.iter().sum()
    }

    pub fn nodes(&self) -> impl Iterator<Item = (&Template, &Node)> {
        self.templates.iter().flat_map(|template| template.nodes.iter().map(move |node| (template, node)))
    }
}
