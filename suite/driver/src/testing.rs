//! A hand-made recipe for tests.

use contract::SCHEMA;
use contract::claim::Claim;
use contract::description::{Alternative, Description, PartDescription, Presence};
use contract::request::Part;
use serde_json::json;
use std::collections::BTreeMap;

/// A recipe with two rooms, a module and alternatives of every presence.
pub fn description() -> Description {
    use Claim::{Backend, Census, Golden, Neutral, Reference, Repeat, Resume};
    let mut avx2 = alternative(Backend, "avx2", "simd");
    avx2.presence = Presence::Plain;
    let mut avx512 = alternative(Backend, "avx512", "simd");
    avx512.presence = Presence::Absent;
    let alternatives = vec![alternative(Backend, "one_thread", "threads"), avx2, avx512];
    let recompute = vec![alternative(Neutral, "recompute_full", "recompute")];
    Description {
        schema: SCHEMA,
        recipe: "tiny".into(),
        about: "A hand-made recipe.".into(),
        recipe_digest: "0".repeat(64),
        parts: vec![
            part(Part::Kernel("scale".into()), &[Repeat, Golden, Backend, Reference], false, alternatives),
            part(Part::Kernel("adamw".into()), &[Repeat, Golden, Resume], true, vec![]),
            part(Part::Module("block".into()), &[Repeat, Golden, Resume, Neutral], true, recompute.clone()),
            part(Part::EndToEnd, &[Repeat, Golden, Resume, Neutral, Census], true, recompute),
        ],
        sections: vec!["params".into()],
        phases: vec!["forward".into()],
        checkpoint_bytes: 1 << 20,
        step_macs: 1_000_000,
        perturbation_counters: vec![],
    }
}

fn alternative(claim: Claim, name: &str, key: &str) -> Alternative {
    Alternative {
        claim,
        name: name.into(),
        set: BTreeMap::from([(key.to_owned(), json!(name))]),
        observe: None,
        differs_in: vec![key.to_owned()],
        steps: None,
        presence: Presence::Present,
    }
}

fn part(part: Part, claims: &[Claim], stateful: bool, alternatives: Vec<Alternative>) -> PartDescription {
    let contracts = vec!["scale.v1".into()];
    PartDescription {
        part,
        claims: claims.to_vec(),
        steps: 4,
        stateful,
        saves_as_whole: false,
        contracts,
        alternatives,
    }
}
