//! Kinds of points, for walks that try some of each.

use super::points::{Chain, Place, Target};
use crate::nonce;
use contract::control::Point;
use std::collections::{BTreeMap, BTreeSet};

impl Chain {
    /// Keeps of the operations of a save one of each kind, chosen by `seed`, and nothing else. Operations of one rank
    /// with the same name are of one kind as long as all of them, or none, come before the save's first file.
    pub fn keep_one_of_each_kind(&mut self, seed: u64) {
        let mut kinds: BTreeMap<(u32, String, bool), Vec<Target>> = BTreeMap::new();
        for target in &self.targets {
            if let Place::Operation { operation, .. } = &target.place {
                let kind = (target.rank, operation.name.clone(), operation.begun);
                kinds.entry(kind).or_default().push(target.clone());
            }
        }
        let mut chosen = Vec::new();
        for (index, members) in (0..).zip(kinds.into_values()) {
            chosen.extend(
                nonce::choose(nonce::seeded(seed, index), members.len(), 1).into_iter().map(|at| members[at].clone()),
            );
        }
        self.targets.retain(|target| chosen.contains(target));
    }

    /// Keeps of the points of training as many as reach every step once, every phase once, and the end of one step.
    /// Kills after a load stay.
    pub fn keep_each_step_and_phase(&mut self) {
        let (mut steps, mut phases) = (BTreeSet::new(), BTreeSet::new());
        self.targets.retain(|target| match &target.place {
            Place::At(Point::Phase { step, phase }) => steps.insert(*step) | phases.insert(Some(phase.clone())),
            Place::At(Point::StepEnd { step }) => steps.insert(*step) | phases.insert(None),
            _ => true,
        });
    }
}

#[cfg(test)]
mod tests;
