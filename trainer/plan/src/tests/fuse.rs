use super::*;
use crate::Phase;
use std::collections::BTreeSet;

/// What each fusion replaces, in the body and in the evaluation.
const PAIRS: [(&str, usize); 3] = [("residual_rmsnorm", 8), ("swiglu_matmul", 3), ("head_cross_entropy", 1)];

fn forward<'a>(plan: &'a Plan, template: &str) -> Vec<&'a Node> {
    let template = plan.template(template).expect("the template exists");
    template.nodes.iter().filter(|node| matches!(node.phase, Phase::Forward | Phase::Eval)).collect()
}

#[test]
fn every_pair_that_a_room_fuses_is_fused_and_nothing_else_is_touched() {
    let plain = end_to_end(|_| {});
    let fused = end_to_end(|recipe| recipe.execution.fuse = true);
    for template in ["body", "evaluate"] {
        let (before, after) = (forward(&plain, template), forward(&fused, template));
        let count = |kernel| after.iter().filter(|node| node.kernel == kernel).count();
        for (kernel, pairs) in PAIRS {
            assert_eq!(count(kernel), pairs, "{kernel} in {template}");
        }
        let ids = |nodes: &[&Node]| nodes.iter().map(|node| node.id.clone()).collect::<BTreeSet<_>>();
        let new: BTreeSet<_> = ids(&after).difference(&ids(&before)).cloned().collect();
        let gone: BTreeSet<_> = ids(&before).difference(&ids(&after)).cloned().collect();
        assert_eq!((new.len(), gone.len()), (12, 24), "{template}: {new:?} for {gone:?}");
        for node in before.iter().filter(|node| !gone.contains(&node.id)) {
            let same = after.iter().find(|candidate| candidate.id == node.id).expect("it was not fused");
            assert_eq!(node.attributes, same.attributes, "{}", node.id);
            assert_eq!(names(&plain, &node.inputs), names(&fused, &same.inputs), "{}", node.id);
        }
    }
}

#[test]
fn a_fused_node_carries_the_attributes_of_both() {
    let plain = end_to_end(|_| {});
    let fused = end_to_end(|recipe| recipe.execution.fuse = true);
    let node = body(&fused).nodes.iter().find(|node| node.kernel == "swiglu_matmul").expect("fused");
    let second = body(&plain).nodes.iter().find(|node| node.id == "layers.0.mlp.down/matmul/forward").expect("plain");
    assert_eq!(node.attributes["second"], second.attributes);
    assert_eq!(node.module, "layers.0.mlp.down");
}

#[test]
fn a_joint_value_that_somebody_else_reads_is_not_dropped() {
    let mut recipe = recipe("dense-ieee");
    recipe.execution.fuse = true;
    let plan = plan(&recipe, &Part::EndToEnd);
    for node in body(&plan).nodes.iter().filter(|node| node.kernel == "residual_rmsnorm") {
        assert_eq!(node.outputs.len(), 3, "{}: sum, normed and its statistics", node.id);
    }
    // Logits are as large as the vocabulary; the fused head never has them as a value.
    let vocabulary = recipe.semantics.model.vocabulary;
    let forward = body(&plan).nodes.iter().filter(|node| node.phase == Phase::Forward);
    for value in forward.flat_map(|node| &node.outputs) {
        assert_ne!(plan.value(*value).spec.shape.last(), Some(&vocabulary), "{}", plan.value(*value).name);
    }
}

#[test]
fn without_the_switch_nothing_is_fused() {
    let plan = end_to_end(|_| {});
    assert!(plan.nodes().all(|(_, node)| PAIRS.iter().all(|(kernel, _)| node.kernel != *kernel)));
}
