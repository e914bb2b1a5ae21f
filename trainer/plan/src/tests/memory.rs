use super::*;
use crate::ValueKind;
use std::collections::BTreeMap;

/// First and last node of a template that touches each transient value.
fn lifetimes(plan: &Plan, template: &Template) -> BTreeMap<ValueId, (usize, usize)> {
    let mut lives = BTreeMap::new();
    for (index, node) in template.nodes.iter().enumerate() {
        for value in node.inputs.iter().chain(&node.outputs) {
            if plan.value(*value).kind == ValueKind::Transient {
                lives.entry(*value).or_insert((index, index)).1 = index;
            }
        }
    }
    lives
}

/// Everything that is wrong with the buffers of a plan, by trying all pairs.
fn problems(plan: &Plan) -> Vec<String> {
    let mut problems = Vec::new();
    let mut owners: BTreeMap<usize, &str> = BTreeMap::new();
    for value in plan.values.iter().filter(|value| value.kind != ValueKind::Transient) {
        if let Some(other) = owners.insert(value.slot, &value.name) {
            problems.push(format!("{} and {other} own one buffer", value.name));
        }
    }
    for template in &plan.templates {
        let lives = lifetimes(plan, template);
        for (value, (first, last)) in &lives {
            let found = plan.value(*value);
            if owners.contains_key(&found.slot) || plan.slots[found.slot] < found.spec.bytes() {
                problems.push(format!("{} has a buffer of somebody else, or one that is too small", found.name));
            }
            if !template.nodes[*first].outputs.contains(value) {
                problems.push(format!("{} is read before it is written", found.name));
            }
            for (other, (begin, end)) in lives.range(ValueId(value.0 + 1)..) {
                let together = first <= end && begin <= last;
                if together && plan.value(*other).slot == found.slot {
                    problems.push(format!("{} and {} live together", found.name, plan.value(*other).name));
                }
            }
        }
        for (index, node) in template.nodes.iter().enumerate() {
            let ending = lives.iter().filter(|(_, (_, last))| *last == index).map(|(value, _)| *value);
            if node.releases != ending.collect::<Vec<_>>() {
                problems.push(format!("{} releases {:?}", node.id, names(plan, &node.releases)));
            }
        }
    }
    problems
}

#[test]
fn no_two_values_that_live_at_the_same_time_share_a_buffer() {
    for (name, plan) in many_plans() {
        assert_eq!(problems(&plan), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn two_values_in_one_buffer_and_a_moved_release_are_noticed() {
    let mut plan = end_to_end(|_| {});
    let matmul = body(&plan).nodes.iter().find(|node| node.id == "layers.1.attention.qkv/matmul/forward");
    let matmul = matmul.expect("it exists").clone();
    let (input, output) = (matmul.inputs[0], matmul.outputs[0]);
    plan.values[output.0].slot = plan.value(input).slot;
    assert!(problems(&plan).iter().any(|problem| problem.contains("live together")), "{:?}", problems(&plan));

    let mut plan = end_to_end(|_| {});
    let nodes = &mut plan.templates.iter_mut().find(|template| template.name == "body").expect("body").nodes;
    let at = nodes.iter().position(|node| !node.releases.is_empty()).expect("something is released");
    let moved = nodes[at].releases.pop().expect("checked");
    nodes[at + 1].releases.push(moved);
    assert_eq!(problems(&plan).len(), 2);
}

#[test]
fn buffers_are_shared_at_all() {
    let plan = end_to_end(|_| {});
    let alone: usize = plan.values.iter().map(|value| value.spec.bytes().next_multiple_of(64)).sum();
    assert!(plan.peak_bytes() * 3 < alone * 2, "{} of {alone} bytes", plan.peak_bytes());
}
