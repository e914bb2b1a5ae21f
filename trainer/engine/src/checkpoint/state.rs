//! The state of a run as an ordered list of named leaves.

use super::CheckpointError;
use library::tensor::Tensor;
use std::collections::BTreeSet;

/// Sections of a state, in the order in which their shards are written.
pub const SECTIONS: [&str; 5] = ["params", "optimizer", "rng", "data", "fingerprints"];

/// One tensor of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Section and name: `params/layers.0.attention.q.weight`.
    pub name: String,
    pub tensor: Tensor,
}

impl Leaf {
    /// The part of the name before the first `/`.
    #[must_use]
    pub fn section(&self) -> &str {
        section(&self.name)
    }
}

pub(super) fn section(name: &str) -> &str {
    name.split_once('/').map_or("", |(section, _)| section)
}

/// Everything that a run needs to go on, in the order of the plan's registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub leaves: Vec<Leaf>,
}

impl State {
    /// Bytes of all leaves.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.tensor.spec.bytes() as u64).sum()
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.leaves.iter().find(|leaf| leaf.name == name).map(|leaf| &leaf.tensor)
    }

    /// # Errors
    /// When the state is empty, a name repeats, or a leaf has no known section.
    pub(super) fn check(&self) -> Result<(), CheckpointError> {
        let invalid = |message: String| Err(CheckpointError::State { message });
        if self.leaves.is_empty() {
            return invalid("it has no leaf".to_owned());
        }
        let mut names = BTreeSet::new();
        for leaf in &self.leaves {
            if !SECTIONS.contains(&leaf.section()) || leaf.name.ends_with('/') {
                return invalid(format!("leaf `{}` is in no section; a name is SECTION/NAME", leaf.name));
            }
            if !names.insert(leaf.name.as_str()) {
                return invalid(format!("leaf `{}` is there twice", leaf.name));
            }
        }
        Ok(())
    }
}
