//! How a fault is planted: one policy, variant or rewrite in place of the standard one.

use engine::Policies;
use engine::checkpoint::{SavePolicy, StatePolicy};
use engine::data::CursorPolicy;
use engine::policies::StepPolicy;
use plan::Plan;
use std::hash::BuildHasher;
use std::sync::Arc;

pub fn variant(mut policies: Policies, kernel: &str, variant: &str) -> Policies {
    policies.mutations.variants.push((kernel.to_owned(), variant.to_owned()));
    policies
}

pub fn rewrite(mut policies: Policies, rewrite: fn(&mut Plan) -> usize) -> Policies {
    policies.mutations.rewrites.push(rewrite);
    policies
}

pub fn cursor(policies: Policies, cursor: impl CursorPolicy + 'static) -> Policies {
    Policies { cursor: Arc::new(cursor), ..policies }
}

pub fn state(policies: Policies, state: impl StatePolicy + 'static) -> Policies {
    Policies { state: Arc::new(state), ..policies }
}

pub fn save(policies: Policies, save: impl SavePolicy + 'static) -> Policies {
    Policies { save: Arc::new(save), ..policies }
}

pub fn step(policies: Policies, step: impl StepPolicy + 'static) -> Policies {
    Policies { step: Arc::new(step), ..policies }
}

/// Puts the reductions in the order in which a standard hash set with a random key would give them. No sum changes:
/// each reduction has inputs and outputs of its own.
#[expect(clippy::disallowed_types, reason = "this fault does what is forbidden: a random key decides an order")]
pub fn reduce_in_hash_order(plan: &mut Plan) -> usize {
    let random = std::collections::hash_map::RandomState::new();
    let Some(template) = plan.templates.iter_mut().find(|template| template.name == "reduce") else { return 0 };
    let places: Vec<usize> = (0..template.nodes.len()).filter(|at| template.nodes[*at].bucket.is_some()).collect();
    let mut nodes: Vec<_> = places.iter().map(|at| template.nodes[*at].clone()).collect();
    nodes.sort_by_cached_key(|node| random.hash_one(&node.id));
    mutants::activated(places.len().saturating_sub(1) as u64);
    for (at, node) in places.iter().zip(nodes) {
        template.nodes[*at] = node;
    }
    places.len()
}

/// The gradient of every unit's first norm is added to its leaf a second time.
pub fn accumulate_again(plan: &mut Plan) -> usize {
    let Some(template) = plan.templates.iter_mut().find(|template| template.name == "body") else { return 0 };
    let found = template.nodes.iter().rposition(|node| node.kernel == "accumulate" && node.module.ends_with("norm"));
    let Some(at) = found else { return 0 };
    let mut again = template.nodes[at].clone();
    again.id.push_str("/again");
    template.nodes.insert(at + 1, again);
    mutants::activated(1);
    1
}

/// One parameter starts as if the seed were zero.
pub fn seed_ignored(plan: &mut Plan) -> usize {
    let nodes = plan.templates.iter_mut().flat_map(|template| &mut template.nodes);
    let mut changed = 0;
    for node in nodes.filter(|node| node.kernel == "init" && node.module == "layers.1.mlp.up") {
        if let Some(seed) = node.attributes.pointer_mut("/kind/normal/seed") {
            *seed = 0.into();
            changed += 1;
        }
    }
    mutants::activated(changed as u64);
    changed
}

/// A draw of warm-up that nobody wrote down: every later draw of a stream comes from the next one.
pub fn draws_once_more(plan: &mut Plan) -> usize {
    let nodes = plan.templates.iter_mut().flat_map(|template| &mut template.nodes);
    let mut changed = 0;
    for node in nodes.filter(|node| node.kernel.starts_with("dropout")) {
        if let Some(stream) = node.attributes.get_mut("stream").filter(|stream| stream.is_u64()) {
            *stream = (stream.as_u64().unwrap_or_default() + WARM_UP).into();
            changed += 1;
        }
    }
    mutants::activated(changed as u64);
    changed
}

/// Leads to a stream that no room of the plan draws from.
const WARM_UP: u64 = 0x800;
