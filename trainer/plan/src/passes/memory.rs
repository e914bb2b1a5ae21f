//! Memory: gives every value a buffer. Peak bytes are known before the first step.
//!
//! State, host and persistent values own their buffers. Transient values of a template share: a buffer is free again
//! after the last reader of its value, and the next value takes the free buffer that fits best. Buffers of one
//! template are free for the next one.

use crate::graph::{Plan, ValueKind};
use library::room::ValueId;
use std::collections::BTreeMap;

/// Buffers are whole cache lines.
const ALIGNMENT: usize = 64;

/// Assigns slots and release points.
pub fn memory(plan: &mut Plan) {
    let mut slots = Vec::new();
    let new = |slots: &mut Vec<usize>, bytes: usize| {
        slots.push(bytes.next_multiple_of(ALIGNMENT));
        slots.len() - 1
    };
    for value in &mut plan.values {
        if value.kind != ValueKind::Transient {
            value.slot = new(&mut slots, value.spec.bytes());
        }
    }
    let owned = slots.len();
    for template in &mut plan.templates {
        let last = last_uses(template);
        let mut free: Vec<usize> = (owned..slots.len()).collect();
        for (index, node) in template.nodes.iter_mut().enumerate() {
            for output in &node.outputs[node.in_place..] {
                let value = &mut plan.values[output.0];
                if value.kind != ValueKind::Transient {
                    continue;
                }
                let bytes = value.spec.bytes();
                let best = free
                    .iter()
                    .enumerate()
                    .filter(|(_, slot)| slots[**slot] >= bytes)
                    .min_by_key(|(_, slot)| slots[**slot]);
                value.slot = match best.map(|(at, _)| at) {
                    Some(at) => free.remove(at),
                    None => new(&mut slots, bytes),
                };
            }
            node.releases.clear();
            let mut touched: Vec<ValueId> = node.inputs.iter().chain(&node.outputs).copied().collect();
            touched.sort_unstable();
            touched.dedup();
            for value in touched {
                if plan.values[value.0].kind == ValueKind::Transient && last[&value] == index {
                    node.releases.push(value);
                    free.push(plan.values[value.0].slot);
                }
            }
        }
    }
    plan.slots = slots;
}

fn last_uses(template: &crate::graph::Template) -> BTreeMap<ValueId, usize> {
    let mut last = BTreeMap::new();
    for (index, node) in template.nodes.iter().enumerate() {
        for value in node.inputs.iter().chain(&node.outputs) {
            last.insert(*value, index);
        }
    }
    last
}
