//! Facts about plans. A plan is a pure function, so everything is asserted on the data itself.

mod backward;
mod comparable;
mod describe;
mod fuse;
mod memory;
mod mutate;
mod recipe;
mod recompute;
mod render;

use crate::passes::mutate::Mutations;
use crate::{Node, Plan, Recipe, Template, assemble};
use contract::execution::Recompute;
use contract::request::Part;
use library::registry::Registry;
use library::room::ValueId;

fn recipe(name: &str) -> Recipe {
    crate::recipe::load(name).expect("a shipped recipe")
}

fn plan(recipe: &Recipe, part: &Part) -> Plan {
    assemble(recipe, part, &Registry::standard(), &Mutations::default()).expect("a plan")
}

fn end_to_end(change: impl FnOnce(&mut Recipe)) -> Plan {
    let mut recipe = recipe("dense-ieee");
    change(&mut recipe);
    plan(&recipe, &Part::EndToEnd)
}

fn parts(recipe: &Recipe) -> Vec<Part> {
    let modules = crate::assemble::modules(&recipe.semantics).into_iter().map(|name| Part::Module(name.to_owned()));
    modules.chain([Part::EndToEnd]).collect()
}

/// Plans of every part of four recipes, plain, fused and with both kinds of recompute.
fn many_plans() -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for name in ["dense-ieee", "dense-bf16-ieee", "dense-hopper", "dense-fp16-hopper"] {
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            for fuse in [false, true] {
                let mut recipe = recipe(name);
                (recipe.execution.recompute, recipe.execution.fuse) = (recompute, fuse);
                for part in parts(&recipe) {
                    plans.push((format!("{name} {part} {recompute:?} fuse {fuse}"), plan(&recipe, &part)));
                }
            }
        }
    }
    plans
}

fn body(plan: &Plan) -> &Template {
    plan.template("body").expect("every part has a body")
}

fn names<'a>(plan: &'a Plan, values: &[ValueId]) -> Vec<&'a str> {
    values.iter().map(|value| plan.value(*value).name.as_str()).collect()
}

fn producer(nodes: &[Node], value: ValueId) -> &Node {
    nodes.iter().find(|node| node.outputs.contains(&value)).expect("a value that a node writes")
}
