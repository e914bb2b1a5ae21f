//! Describes a recipe to the suite: parts, claims and alternatives.

use crate::assemble::{assemble, modules};
use crate::graph::{Plan, PlanError};
use crate::passes::mutate::Mutations;
use crate::recipe::Recipe;
use contract::SCHEMA;
use contract::claim::Claim;
use contract::description::{Alternative, Description, PartDescription, Presence};
use contract::execution::ObserveLevel;
use contract::request::Part;
use library::registry::Registry;
use library::room::Room;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Sections that the state of every end-to-end run has.
pub const SECTIONS: [&str; 5] = ["params", "optimizer", "rng", "data", "fingerprints"];

/// Every instruction set that a recipe can be tried with, on any machine.
const LEVELS: [&str; 3] = ["scalar", "avx2", "avx512"];

/// Counters that a perturbation of any part moves.
const PERTURBATION: [&str; 4] = ["allocations_scattered", "tasks_reordered", "delays_injected", "poisoned_bytes"];

/// Describes `recipe` to the suite. `levels` are the instruction sets of this machine, narrowest first.
///
/// # Errors
/// When the plan cannot be built.
pub fn describe(recipe: &Recipe, registry: &Registry, levels: &[&str]) -> Result<Description, PlanError> {
    let none = Mutations::default();
    let plan = assemble(recipe, &Part::EndToEnd, registry, &none)?;
    let mut fused = recipe.clone();
    fused.execution.fuse = true;
    let fused_plan = assemble(&fused, &Part::EndToEnd, registry, &none)?;
    let mut modules_of_recipe = Vec::new();
    for name in modules(&recipe.semantics) {
        let plan = assemble(recipe, &Part::Module(name.to_owned()), registry, &none)?;
        let fused_plan = assemble(&fused, &plan.part, registry, &none)?;
        modules_of_recipe.push((plan, fused_plan));
    }
    let all =
        || [&plan, &fused_plan].into_iter().chain(modules_of_recipe.iter().flat_map(|(plan, fused)| [plan, fused]));
    let used = |room: &dyn Room| {
        let own = |name: &str| room.kernels().iter().any(|kernel| kernel.name == name);
        all().any(|plan| plan.nodes().any(|(_, node)| own(&node.kernel)))
    };
    let rooms = registry.rooms().iter().copied().filter(|room| used(*room));
    let mut parts: Vec<PartDescription> = rooms.map(|room| kernel_part(recipe, room, levels)).collect();
    parts.extend(modules_of_recipe.iter().map(|(plan, fused)| plan_part(recipe, plan, levels, fused)));
    parts.push(plan_part(recipe, &plan, levels, &fused_plan));
    for part in &mut parts {
        part.claims.retain(|claim| recipe.claims.contains(claim));
        part.alternatives.retain(|alternative| recipe.claims.contains(&alternative.claim));
    }
    let state_bytes: usize = plan.state().iter().map(|(_, value)| plan.value(*value).spec.bytes()).sum();
    Ok(Description {
        schema: SCHEMA,
        recipe: recipe.name.clone(),
        about: recipe.about.clone(),
        recipe_digest: recipe.digest(),
        parts,
        sections: SECTIONS.map(str::to_owned).to_vec(),
        phases: ["data", "forward", "backward", "reduce", "optimizer", "eval"].map(str::to_owned).to_vec(),
        checkpoint_bytes: state_bytes as u64,
        step_macs: macs(&plan, registry),
        perturbation_counters: PERTURBATION.map(str::to_owned).to_vec(),
    })
}

/// Multiply-adds of one step.
#[must_use]
pub fn macs(plan: &Plan, registry: &Registry) -> u64 {
    let in_step = |name: &str| matches!(name, "body" | "reduce" | "optimizer");
    plan.nodes()
        .filter(|(template, _)| in_step(&template.name))
        .filter_map(|(template, node)| {
            let kernel = registry.kernel(&node.kernel)?;
            let specs: Vec<_> = node.inputs.iter().map(|input| plan.value(*input).spec.clone()).collect();
            (!specs.is_empty()).then(|| (kernel.macs)(&specs) * template.repeats as u64)
        })
        .fold(0, u64::saturating_add)
}

fn alternative(claim: Claim, name: &str, set: &[(&str, Value)], differs_in: &[&str]) -> Alternative {
    Alternative {
        claim,
        name: name.to_owned(),
        set: set.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<BTreeMap<_, _>>(),
        observe: None,
        differs_in: differs_in.iter().map(|counter| (*counter).to_owned()).collect(),
        steps: None,
        presence: Presence::Present,
    }
}

/// Steps of a plan that the reference variants make, which are slow, and that narrower instruction sets make.
const REFERENCE_STEPS: u64 = 1;
const NARROWER_STEPS: u64 = 2;

/// Variants and instruction sets. The recipe's own run uses the fastest of both. Parts without a plan are run whole.
fn backends(levels: &[&str], planned: bool) -> Vec<Alternative> {
    let mut list = vec![
        alternative(Claim::Backend, "one_thread", &[("threads", json!(1))], &["threads"]),
        alternative(Claim::Backend, "three_threads", &[("threads", json!(3))], &["threads"]),
    ];
    let mut reference =
        alternative(Claim::Backend, "reference", &[("variants", json!("reference"))], &["reference_calls"]);
    reference.steps = planned.then_some(REFERENCE_STEPS);
    list.push(reference);
    for level in LEVELS {
        let mut narrower = alternative(Claim::Backend, level, &[("simd", json!(level))], &["simd_bits"]);
        narrower.steps = planned.then_some(NARROWER_STEPS);
        narrower.presence = match levels.iter().position(|present| *present == level) {
            None => Presence::Absent,
            Some(at) if at + 1 == levels.len() => Presence::Plain,
            Some(_) => Presence::Present,
        };
        list.push(narrower);
    }
    list
}

fn kernel_part(_: &Recipe, room: &dyn Room, levels: &[&str]) -> PartDescription {
    let mut claims = vec![Claim::Repeat, Claim::Golden, Claim::Backend, Claim::Reference];
    if room.walk().is_some() {
        claims.insert(2, Claim::Resume);
    }
    let mut alternatives = backends(levels, false);
    if room.kernels().iter().all(|kernel| kernel.variants.len() == 1) {
        // The reference is the only variant: there is no pair.
        alternatives.retain(|alternative| alternative.name != "reference");
    }
    if room.fusion().is_some() {
        // The plain run of a fusion's cases is the composition; every other variant is the fused kernel.
        for alternative in &mut alternatives {
            alternative.set.insert("fuse".to_owned(), json!(true));
        }
        claims.push(Claim::Fused);
        alternatives.push(alternative(Claim::Fused, "fused", &[("fuse", json!(true))], &["fused_calls"]));
    }
    PartDescription {
        part: Part::Kernel(room.name().to_owned()),
        claims,
        steps: room.cases().len() as u64 + room.walk().map_or(0, |walk| walk.steps),
        stateful: room.walk().is_some(),
        saves_as_whole: false,
        contracts: room.kernels().iter().map(|kernel| kernel.contract.to_owned()).collect(),
        alternatives,
    }
}

fn plan_part(recipe: &Recipe, plan: &Plan, levels: &[&str], fused: &Plan) -> PartDescription {
    let end_to_end = plan.part == Part::EndToEnd;
    let optimizer = plan.part == Part::Module("optimizer_step".to_owned());
    let computes = plan.template("optimizer").is_some();
    let contracts: BTreeSet<String> =
        plan.nodes().map(|(_, node)| node.contract.clone()).filter(|name| name != "host").collect();
    let mut claims = vec![Claim::Repeat, Claim::Golden, Claim::Resume, Claim::Neutral];
    let mut alternatives = neutral(recipe, plan);
    if computes {
        claims.push(Claim::Backend);
        alternatives.extend(backends(levels, true));
        if !optimizer {
            claims.push(Claim::Reference);
        }
    }
    let fusions = fused.nodes().count() < plan.nodes().count();
    if fusions {
        claims.push(Claim::Fused);
        let set = [("fuse", json!(true))];
        alternatives.push(alternative(Claim::Fused, "fused", &set, &["fused_calls"]));
    }
    // A little more than half a run has an epoch's end, an evaluation, a save and a skipped step behind it.
    for alternative in &mut alternatives {
        alternative.steps = Some(alternative.steps.unwrap_or(plan.steps / 2 + 1));
    }
    if end_to_end {
        claims.push(Claim::Census);
    }
    PartDescription {
        part: plan.part.clone(),
        claims,
        steps: plan.steps,
        stateful: true,
        saves_as_whole: optimizer,
        contracts: contracts.into_iter().collect(),
        alternatives,
    }
}

/// What must not matter. Each names the counters that prove that it was really different.
fn neutral(recipe: &Recipe, plan: &Plan) -> Vec<Alternative> {
    let execution = &recipe.execution;
    let end_to_end = plan.part == Part::EndToEnd;
    let neutral = |name: &str, set: &[(&str, Value)], differs: &[&str]| alternative(Claim::Neutral, name, set, differs);
    let mut list = Vec::new();
    let micro = if execution.micro_batch_units == 1 { 2 } else { 1 };
    let several = recipe.semantics.units() >= 2;
    if several && plan.part != Part::Module("optimizer_step".to_owned()) {
        list.push(neutral("micro_batch", &[("micro_batch_units", json!(micro))], &["micro_batches"]));
    }
    list.push(neutral("prefetch", &[("prefetch_depth", json!(execution.prefetch_depth + 3))], &["prefetch_depth"]));
    if plan.template("optimizer").is_some() {
        list.push(neutral("buckets", &[("buckets", json!(execution.buckets + 1))], &["buckets_reduced"]));
    }
    let blocks = plan.nodes().any(|(template, node)| template.name == "body" && node.module.starts_with("layers."));
    if blocks && plan.template("body").is_some_and(|body| body.nodes.iter().any(|node| node.kernel == "rmsnorm")) {
        list.push(neutral("recompute_selective", &[("recompute", json!("selective"))], &["nodes_recomputed"]));
        list.push(neutral("recompute_full", &[("recompute", json!("full"))], &["nodes_recomputed"]));
    }
    let mut observed = neutral("observe_op", &[], &["records"]);
    observed.observe = Some(ObserveLevel::Op);
    observed.steps = Some(2);
    list.push(observed);
    if end_to_end {
        let other = if execution.checkpoint.every == 1 { 3 } else { 1 };
        list.push(neutral("save_cadence", &[("checkpoint.every", json!(other))], &["saves"]));
        let asynchronous = [("checkpoint.asynchronous", json!(!execution.checkpoint.asynchronous))];
        list.push(neutral("asynchronous_save", &asynchronous, &["saves_asynchronous"]));
        list.push(neutral("log_cadence", &[("log_every", json!(execution.log_every + 2))], &["log_lines"]));
        let evaluations = if execution.eval_every == 1 { 2 } else { 1 };
        list.push(neutral("eval_cadence", &[("eval_every", json!(evaluations))], &["evaluations"]));
        list.push(neutral("data_workers", &[("data_workers", json!(execution.data_workers + 1))], &["data_workers"]));
    }
    list
}
