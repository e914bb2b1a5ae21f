//! Mutate: plants a fault in a plan. Only the mutant binary passes mutations; an empty list changes nothing.

use crate::graph::{Node, Plan, PlanError};
use library::registry::Registry;
use serde_json::json;

/// Kernel that flips the lowest bit of the first element of its in-place output; part of the mutant's registry.
pub const FLIP: &str = "flip_lowest_bit";

/// What to plant.
#[derive(Clone, Default)]
pub struct Mutations {
    /// Variant to run instead, by kernel.
    pub variants: Vec<(String, String)>,
    /// Output of a kernel whose lowest bit is flipped after every run.
    pub flip: Option<(String, usize)>,
    /// Rewrites of the plan; each returns how many places it changed.
    pub rewrites: Vec<fn(&mut Plan) -> usize>,
}

impl Mutations {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variants.is_empty() && self.flip.is_none() && self.rewrites.is_empty()
    }
}

/// Applies mutations that come before memory planning. Returns the number of changed nodes.
///
/// # Errors
/// When a mutation matches nothing: a fault that is not planted proves nothing.
pub fn mutate(registry: &Registry, plan: &mut Plan, mutations: &Mutations) -> Result<usize, PlanError> {
    let mut changed = 0;
    for (kernel, variant) in &mutations.variants {
        let before = changed;
        let known = registry.variant(kernel, variant).is_some();
        for node in plan.templates.iter_mut().flat_map(|template| &mut template.nodes) {
            if known && node.kernel == *kernel {
                node.variant.clone_from(variant);
                changed += 1;
            }
        }
        require(changed > before, || format!("{kernel} → {variant}"))?;
    }
    if let Some((kernel, output)) = &mutations.flip {
        let before = changed;
        for template in &mut plan.templates {
            let mut nodes = Vec::with_capacity(template.nodes.len());
            for node in std::mem::take(&mut template.nodes) {
                let hit = node.kernel == *kernel && *output < node.outputs.len();
                let after = hit.then(|| flip(registry, &node, *output));
                nodes.push(node);
                changed += usize::from(hit);
                nodes.extend(after);
            }
            template.nodes = nodes;
        }
        require(changed > before, || format!("flip {kernel} output {output}"))?;
    }
    for rewrite in &mutations.rewrites {
        let count = rewrite(plan);
        require(count > 0, || "a rewrite of the plan".to_owned())?;
        changed += count;
    }
    Ok(changed)
}

fn require(holds: bool, mutation: impl FnOnce() -> String) -> Result<(), PlanError> {
    if holds { Ok(()) } else { Err(PlanError::Mutation { mutation: mutation() }) }
}

/// The flip belongs to the node that it follows: same module, op, contract and variant, so the judge names that node.
fn flip(registry: &Registry, node: &Node, output: usize) -> Node {
    let kernel = registry.kernel(FLIP).expect("the mutant's registry has the flip");
    Node {
        id: format!("{}/{FLIP}/{}", node.module, node.phase.name()),
        kernel: FLIP.to_owned(),
        contract: kernel.contract.to_owned(),
        variant: kernel.reference().name.to_owned(),
        attributes: json!({}),
        inputs: Vec::new(),
        outputs: vec![node.outputs[output]],
        in_place: 1,
        ..node.clone()
    }
}
