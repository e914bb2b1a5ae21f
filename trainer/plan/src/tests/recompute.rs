use super::*;
use crate::Phase;
use std::collections::BTreeSet;

fn with(recompute: Recompute) -> Plan {
    end_to_end(|recipe| recipe.execution.recompute = recompute)
}

fn repeated(plan: &Plan) -> Vec<&Node> {
    body(plan).nodes.iter().filter(|node| node.recomputed).collect()
}

/// Repeated nodes none of whose outputs is read afterwards.
fn dead(plan: &Plan) -> Vec<&str> {
    let nodes = &body(plan).nodes;
    let read_after = |index: usize, value: &ValueId| nodes[index + 1..].iter().any(|node| node.inputs.contains(value));
    let dead = nodes
        .iter()
        .enumerate()
        .filter(|(index, node)| node.recomputed && !node.outputs.iter().any(|value| read_after(*index, value)));
    dead.map(|(_, node)| node.id.as_str()).collect()
}

#[test]
fn nothing_is_repeated_without_recompute() {
    assert!(repeated(&with(Recompute::None)).is_empty());
}

#[test]
fn selective_repeats_cheap_kernels_only_and_full_repeats_whole_blocks() {
    let selective = with(Recompute::Selective);
    let cheap = ["rmsnorm", "swiglu", "squared_relu", "dropout"];
    assert!(!repeated(&selective).is_empty());
    assert!(repeated(&selective).iter().all(|node| cheap.contains(&node.kernel.as_str())));
    let full = with(Recompute::Full);
    for kernel in ["matmul", "attention", "rope", "rmsnorm"] {
        assert!(repeated(&full).iter().any(|node| node.kernel == kernel), "{kernel}");
    }
    assert!(repeated(&full).iter().all(|node| node.module.starts_with("layers.")));
}

#[test]
fn a_node_is_repeated_at_most_once_and_only_if_somebody_reads_it() {
    for (name, plan) in many_plans() {
        let ids: Vec<_> = repeated(&plan).iter().map(|node| node.id.clone()).collect();
        let unique: BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{name}");
        assert!(dead(&plan).is_empty(), "{name}: {:?}", dead(&plan));
    }
}

#[test]
fn a_repeated_node_that_nobody_reads_would_be_noticed() {
    let mut plan = with(Recompute::Full);
    let nodes = &mut plan.templates.iter_mut().find(|template| template.name == "body").expect("body").nodes;
    let at = nodes.iter().position(|node| node.recomputed).expect("something is repeated");
    let outputs = nodes[at].outputs.clone();
    for node in nodes.iter_mut() {
        node.inputs.retain(|input| !outputs.contains(input));
    }
    assert_eq!(dead(&plan).len(), 1);
}

#[test]
fn a_repeated_node_has_the_attributes_of_the_first_one() {
    let plan = with(Recompute::Full);
    for node in repeated(&plan) {
        let twin = |other: &&Node| !other.recomputed && other.module == node.module && other.kernel == node.kernel;
        let first = body(&plan).nodes.iter().find(twin).expect("it was computed before");
        assert_eq!((&first.attributes, first.phase), (&node.attributes, Phase::Forward), "{}", node.id);
    }
}

#[test]
fn full_recompute_keeps_only_what_crosses_the_border_of_a_block() {
    let plan = with(Recompute::Full);
    let block = |node: &Node| node.module.rsplit_once('.').map_or(node.module.clone(), |(block, _)| block.to_owned());
    let nodes = &body(&plan).nodes;
    let forward: Vec<&Node> = nodes.iter().filter(|node| node.phase == Phase::Forward).collect();
    for node in nodes.iter().filter(|node| node.phase == Phase::Backward) {
        for input in &node.inputs {
            let Some(first) = forward.iter().find(|first| first.outputs.contains(input)) else { continue };
            if first.module.starts_with("layers.") {
                let elsewhere = |reader: &&&Node| reader.inputs.contains(input) && block(reader) != block(first);
                let crosses = forward.iter().any(|reader| elsewhere(&reader));
                assert!(crosses, "{} reads {}, which should be repeated", node.id, plan.value(*input).name);
            }
        }
    }
}

#[test]
fn planned_memory_falls_with_recompute() {
    let peaks = [Recompute::None, Recompute::Selective, Recompute::Full].map(|mode| with(mode).peak_bytes());
    assert!(peaks[0] > peaks[1] && peaks[1] > peaks[2], "{peaks:?}");
}
