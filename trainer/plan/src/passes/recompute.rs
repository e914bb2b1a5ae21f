//! Recompute: repeats forward nodes in the backward pass instead of keeping their outputs.
//!
//! Values that are kept: outputs of blocks (`full`), or everything but the outputs of cheap kernels (`selective`).
//! The repeated node has the same attributes, so a dropout mask is drawn from the same counters.

use crate::graph::{Node, Value};
use contract::execution::Recompute;
use library::room::ValueId;
use std::collections::{BTreeMap, BTreeSet};

/// Kernels whose outputs cost less to repeat than to keep.
const CHEAP: &[&str] = &["rmsnorm", "swiglu", "squared_relu", "dropout"];

/// Inserts repeated nodes into `backward` and rewires its readers; returns the number of repeated nodes.
pub fn recompute(values: &mut Vec<Value>, forward: &[Node], backward: &mut Vec<Node>, mode: Recompute) -> usize {
    if mode == Recompute::None {
        return 0;
    }
    let producer: BTreeMap<ValueId, usize> = forward
        .iter()
        .enumerate()
        .flat_map(|(index, node)| node.outputs.iter().map(move |value| (*value, index)))
        .collect();
    let kept = |value: &ValueId| producer.get(value).is_none_or(|index| !dropped(forward, *index, *value, mode));
    let mut copies: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    let mut result = Vec::with_capacity(backward.len());
    let mut count = 0;
    for mut node in std::mem::take(backward) {
        let mut needed = BTreeSet::new();
        let mut open: Vec<ValueId> = node.inputs.iter().copied().filter(|value| !kept(value)).collect();
        while let Some(value) = open.pop() {
            if copies.contains_key(&value) || !needed.insert(producer[&value]) {
                continue;
            }
            open.extend(forward[producer[&value]].inputs.iter().copied().filter(|input| !kept(input)));
        }
        for index in needed {
            result.push(repeat(values, &forward[index], &mut copies));
            count += 1;
        }
        for input in &mut node.inputs {
            if !kept(input) {
                *input = copies[input];
            }
        }
        result.push(node);
    }
    *backward = result;
    count
}

fn dropped(forward: &[Node], producer: usize, value: ValueId, mode: Recompute) -> bool {
    let node = &forward[producer];
    match mode {
        Recompute::None => false,
        Recompute::Selective => CHEAP.contains(&node.kernel.as_str()),
        Recompute::Full => {
            let block = block_of(&node.module);
            let crosses =
                forward.iter().any(|reader| reader.inputs.contains(&value) && block_of(&reader.module) != block);
            block.starts_with("layers.") && !crosses
        }
    }
}

/// `layers.3.attention.core` → `layers.3.attention`; other modules are blocks of their own.
fn block_of(module: &str) -> &str {
    match module.rsplit_once('.') {
        Some((block, _)) if module.starts_with("layers.") => block,
        _ => module,
    }
}

fn repeat(values: &mut Vec<Value>, node: &Node, copies: &mut BTreeMap<ValueId, ValueId>) -> Node {
    let outputs = node.outputs.iter().map(|value| {
        let mut copy = values[value.0].clone();
        copy.name.push_str("@recompute");
        values.push(copy);
        let id = ValueId(values.len() - 1);
        copies.insert(*value, id);
        id
    });
    let outputs: Vec<ValueId> = outputs.collect();
    Node {
        id: format!("{}/{}/recompute", node.module, node.kernel),
        inputs: node.inputs.iter().map(|value| copies.get(value).copied().unwrap_or(*value)).collect(),
        outputs,
        phase: crate::graph::Phase::Backward,
        recomputed: true,
        ..node.clone()
    }
}
