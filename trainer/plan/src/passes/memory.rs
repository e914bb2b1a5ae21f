//! Memory: gives every value a buffer. Peak bytes are known before the first step.
//!
//! State, host and persistent values own their buffers. Transient values share: two of them may have one buffer when
//! no node touches both and neither lives inside the life of the other. Values of different templates never live
//! together. The largest values are placed first and each takes the smallest buffer that is free for its whole life,
//! so that a small value does not occupy a buffer that a large one needs.

use crate::graph::{Plan, Template, ValueKind};
use library::room::ValueId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Buffers are whole cache lines.
const ALIGNMENT: usize = 64;

/// First and last node of a template that touches a value.
#[derive(Clone, Copy)]
struct Life {
    template: usize,
    first: usize,
    last: usize,
}

impl Life {
    const fn meets(self, other: Self) -> bool {
        self.template == other.template && self.first <= other.last && other.first <= self.last
    }
}

/// A buffer that transient values share.
struct Shared {
    bytes: usize,
    lives: Vec<Life>,
    values: Vec<ValueId>,
}

/// Assigns slots and release points.
pub fn memory(plan: &mut Plan) {
    let mut slots = Vec::new();
    for value in plan.values.iter_mut().filter(|value| value.kind != ValueKind::Transient) {
        value.slot = slots.len();
        slots.push(value.spec.bytes().next_multiple_of(ALIGNMENT));
    }
    let mut lives = Vec::new();
    for (index, template) in plan.templates.iter().enumerate() {
        lives.extend(lifetimes(index, template).into_iter().filter(|(value, _)| transient(plan, *value)));
    }
    for (value, life) in &lives {
        plan.templates[life.template].nodes[life.last].releases.push(*value);
    }
    lives.sort_by_key(|(value, life)| (Reverse(plan.value(*value).spec.bytes()), life.template, life.first, *value));
    for shared in share(plan, &lives) {
        for value in shared.values {
            plan.values[value.0].slot = slots.len();
        }
        slots.push(shared.bytes);
    }
    plan.slots = slots;
}

fn transient(plan: &Plan, value: ValueId) -> bool {
    plan.value(value).kind == ValueKind::Transient
}

fn lifetimes(template: usize, content: &Template) -> BTreeMap<ValueId, Life> {
    let mut lives = BTreeMap::new();
    for (index, node) in content.nodes.iter().enumerate() {
        for value in node.inputs.iter().chain(&node.outputs) {
            lives.entry(*value).or_insert(Life { template, first: index, last: index }).last = index;
        }
    }
    lives
}

/// Places values, largest first. Later buffers are never larger than earlier ones, so the last free one fits best.
fn share(plan: &Plan, lives: &[(ValueId, Life)]) -> Vec<Shared> {
    let mut buffers: Vec<Shared> = Vec::new();
    for (value, life) in lives {
        let free = |buffer: &&mut Shared| !buffer.lives.iter().any(|other| life.meets(*other));
        match buffers.iter_mut().rev().find(free) {
            Some(buffer) => {
                buffer.lives.push(*life);
                buffer.values.push(*value);
            }
            None => {
                let bytes = plan.value(*value).spec.bytes().next_multiple_of(ALIGNMENT);
                buffers.push(Shared { bytes, lives: vec![*life], values: vec![*value] });
            }
        }
    }
    buffers
}
