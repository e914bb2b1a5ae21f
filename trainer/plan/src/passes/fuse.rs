//! Fuse: replaces two neighbouring forward nodes by the kernel that a room offers for them.
//!
//! It runs before the backward pass, so a fusion brings its own gradient. A fusion that keeps its joint value writes
//! it too; one that drops it is used only where nothing else reads it.

use crate::graph::Node;
use crate::passes::builder::Graph;
use library::room::{Fusion, ValueId};
use serde_json::json;

/// Replaces every pair that a room of the registry fuses; returns the number of pairs.
pub fn fuse(graph: &Graph<'_>, nodes: &mut Vec<Node>) -> usize {
    let fusions: Vec<Fusion> = graph.registry.rooms().iter().filter_map(|room| room.fusion()).collect();
    let mut fused = 0;
    let mut second = 0;
    while second < nodes.len() {
        let pair = fusions.iter().find_map(|fusion| find_first(nodes, second, fusion).map(|first| (first, fusion)));
        if let Some((first, fusion)) = pair {
            let node = join(graph, &nodes[first], &nodes[second], fusion);
            nodes[second] = node;
            nodes.remove(first);
            fused += 1;
        } else {
            second += 1;
        }
    }
    fused
}

/// The node that `second` can be fused with.
fn find_first(nodes: &[Node], second: usize, fusion: &Fusion) -> Option<usize> {
    let node = &nodes[second];
    if node.kernel != fusion.second {
        return None;
    }
    let joint = node.inputs[fusion.joint.1];
    let first = nodes[..second].iter().position(|candidate| {
        candidate.kernel == fusion.first && candidate.outputs.get(fusion.joint.0) == Some(&joint)
    })?;
    let reads = |node: &Node, value: ValueId| node.inputs.contains(&value);
    // The fused node stands where the second stood, so nothing in between may read what the first writes.
    let between =
        nodes[first + 1..second].iter().any(|node| nodes[first].outputs.iter().any(|value| reads(node, *value)));
    let elsewhere = fusion.drops_joint && nodes[second + 1..].iter().any(|node| reads(node, joint));
    (!between && !elsewhere).then_some(first)
}

fn join(graph: &Graph<'_>, first: &Node, second: &Node, fusion: &Fusion) -> Node {
    let kernel = graph.registry.kernel(fusion.kernel).expect("a fusion names a kernel of its room");
    let mut inputs = first.inputs.clone();
    inputs.extend(second.inputs.iter().enumerate().filter(|(at, _)| *at != fusion.joint.1).map(|(_, value)| *value));
    let mut outputs = first.outputs.clone();
    if fusion.drops_joint {
        outputs.remove(fusion.joint.0);
    }
    outputs.extend(&second.outputs);
    Node {
        id: format!("{}/{}/{}", second.module, fusion.kernel, second.phase.name()),
        module: second.module.clone(),
        kernel: fusion.kernel.to_owned(),
        contract: kernel.contract.to_owned(),
        variant: kernel.reference().name.to_owned(),
        attributes: json!({"first": first.attributes, "second": second.attributes}),
        inputs,
        outputs,
        ..second.clone()
    }
}
