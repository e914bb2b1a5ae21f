//! Where two runs first differ, and what that says about the cause.

mod locate;
mod refine;

pub(crate) use locate::{Alignment, Sides, first, of_item};
pub use refine::{HIDDEN, refine};

use crate::elements::ElementReport;
use contract::record::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The first divergence of a pair, in its rank's order of execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Divergence {
    pub kind: Kind,
    pub step: u64,
    pub rank: u32,
    pub phase: String,
    pub node: Option<String>,
    pub module: Option<String>,
    pub op: Option<String>,
    pub contract: Option<String>,
    /// Of the right side.
    pub variant: Option<String>,
    /// Name of the tensor, the leaf (`section/leaf`), the scalar or the event.
    pub name: String,
    pub role: Option<Role>,
    /// How many records of the same step, node and role came before on the left: it names the element file.
    pub index: Option<u64>,
    pub dtype: Option<String>,
    pub shape: Option<Vec<u64>>,
    /// Whether everything that the node read is equal on both sides; `None` when that was not recorded.
    pub inputs_equal: Option<bool>,
    /// What each side holds: fingerprint, hexadecimal bits, or `absent`.
    pub left: String,
    pub right: String,
    /// Likely cause, in one sentence.
    pub cause: String,
    /// For [`Kind::Overwrite`]: the node that wrote the buffer, `node` being the one that read it.
    pub producer: Option<String>,
    pub elements: Option<ElementReport>,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The output of a node.
    Output,
    /// What a node read, although nothing recorded before it differs.
    Input,
    /// A buffer between its producer and its consumer, inside one run.
    Overwrite,
    /// A leaf of the state.
    State,
    /// A scalar of a step.
    Scalar,
    /// The order of nodes or events.
    Order,
    /// Something is recorded on one side only.
    Missing,
    /// The bits are equal; dtype, shape, variant or another description is not.
    Description,
}

impl Divergence {
    /// Section of a leaf of the state: `optimizer` of `optimizer/m.embedding`.
    #[must_use]
    pub fn section(&self) -> Option<&str> {
        self.name
            .split_once('/')
            .filter(|_| self.kind == Kind::State || self.node.is_none())
            .map(|(section, _)| section)
    }

    /// The place in words: `step 3, rank 0, backward, layers.1.mlp, node n, tensor x`.
    #[must_use]
    pub fn place(&self) -> String {
        let mut parts = vec![format!("step {}", self.step), format!("rank {}", self.rank), self.phase.clone()];
        parts.extend(self.module.clone());
        parts.extend(self.node.as_ref().map(|node| format!("node {node}")));
        parts.push(match (self.kind, self.section()) {
            (_, Some(section)) => format!("leaf {} (section {section})", self.name),
            (Kind::Scalar, _) => format!("scalar {}", self.name),
            (Kind::Order, _) => format!("event {}", self.name),
            _ if self.node.is_none() => self.name.clone(),
            _ => format!("tensor {}", self.name),
        });
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests;
