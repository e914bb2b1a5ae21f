use super::*;
use crate::Phase;
use std::collections::BTreeSet;

/// Recipes with their fusions, and how many pairs each replaces, in the body and in the evaluation.
const PAIRS: [(&str, [(&str, usize); 3]); 2] = [
    ("dense-ieee", [("residual_rmsnorm", 8), ("swiglu_matmul", 3), ("head_cross_entropy", 1)]),
    ("dense-hopper", [("residual_rmsnorm", 8), ("swiglu_matmul_tc16", 3), ("head_cross_entropy_tc16", 1)]),
];

/// The plan of a whole recipe without fusions, and with them.
fn both(name: &str) -> [Plan; 2] {
    [false, true].map(|fuse| {
        let mut recipe = recipe(name);
        recipe.execution.fuse = fuse;
        plan(&recipe, &Part::EndToEnd)
    })
}

fn forward<'a>(plan: &'a Plan, template: &str) -> Vec<&'a Node> {
    let template = plan.template(template).expect("the template exists");
    template.nodes.iter().filter(|node| matches!(node.phase, Phase::Forward | Phase::Eval)).collect()
}

#[test]
fn every_pair_that_a_room_fuses_is_fused_and_nothing_else_is_touched() {
    for (name, pairs) in PAIRS {
        let [plain, fused] = both(name);
        for template in ["body", "evaluate"] {
            let (before, after) = (forward(&plain, template), forward(&fused, template));
            let count = |kernel| after.iter().filter(|node| node.kernel == kernel).count();
            for (kernel, pairs) in pairs {
                assert_eq!(count(kernel), pairs, "{kernel} in {template} of {name}");
            }
            let ids = |nodes: &[&Node]| nodes.iter().map(|node| node.id.clone()).collect::<BTreeSet<_>>();
            let new: BTreeSet<_> = ids(&after).difference(&ids(&before)).cloned().collect();
            let gone: BTreeSet<_> = ids(&before).difference(&ids(&after)).cloned().collect();
            assert_eq!((new.len(), gone.len()), (12, 24), "{template} of {name}: {new:?} for {gone:?}");
            for node in before.iter().filter(|node| !gone.contains(&node.id)) {
                let same = after.iter().find(|candidate| candidate.id == node.id).expect("it was not fused");
                assert_eq!(node.attributes, same.attributes, "{}", node.id);
                assert_eq!(names(&plain, &node.inputs), names(&fused, &same.inputs), "{}", node.id);
            }
        }
    }
}

#[test]
fn a_fusion_brings_the_gradient_of_its_own_arithmetic() {
    let [_, fused] = both("dense-hopper");
    let modules = |kernel: &str| -> Vec<&str> {
        let backward = body(&fused).nodes.iter().filter(|node| node.phase == Phase::Backward);
        backward.filter(|node| node.kernel == kernel).map(|node| node.module.as_str()).collect()
    };
    assert_eq!(modules("head_cross_entropy_tc16_backward"), ["head.loss"]);
    assert!(modules("matmul_tc16_dgrad").contains(&"layers.0.mlp.down"));
    assert!(modules("matmul_dgrad").is_empty() && modules("matmul_wgrad").is_empty());
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
    for (name, pairs) in PAIRS {
        let [plain, _] = both(name);
        assert!(plain.nodes().all(|(_, node)| pairs.iter().all(|(kernel, _)| node.kernel != *kernel)), "{name}");
    }
}
