//! State and scalars equal after every step, for pairs whose plans differ.
//!
//! Tensors and events are not compared, except the tensors of kernel parts, where they are all that there is. In
//! claim `fused` a composition has tensors that its fusion does not have: only common ones are compared. Scalars of
//! evaluations may be absent on one side, since how often a run evaluates must not matter.

use super::Finding;
use crate::divergence::{Alignment, Divergence, Kind, Sides, first, of_item};
use crate::evidence::{EvidenceError, Run};
use crate::steps::{EVAL, Key, Step, Steps, Value};
use contract::claim::Claim;
use contract::record::Role;
use contract::request::Part;

pub fn compare(claim: Claim, left: &mut Run, right: &mut Run) -> Result<Finding, EvidenceError> {
    let kernel = matches!(left.file.part, Part::Kernel(_));
    let mut finding = Finding::default();
    finding.counts.ranks = left.ranks.len() as u64;
    let mut passed_over = Passed::default();
    let (mut a, mut b) = (Steps::new(left, kernel), Steps::new(right, kernel));
    loop {
        let (x, y) = (a.next_step()?, b.next_step()?);
        let (Some(x), Some(y)) = (&x, &y) else {
            finding.divergence = x.or(y).map(|step| missing_step(&step));
            break;
        };
        finding.counts.steps += 1;
        let found = compare_step(x, y, kernel && claim == Claim::Fused, &mut passed_over);
        finding.counts.items += passed_over.items;
        passed_over.items = 0;
        if found.is_some() {
            finding.divergence = found;
            break;
        }
    }
    finding.counts.frames_unpacked = a.unpacked + b.unpacked;
    if finding.divergence.is_none() && kernel && passed_over.outputs == 0 {
        return Err(EvidenceError::Pair("the two sides have no output in common".to_owned()));
    }
    finding.not_compared = passed_over.words(kernel);
    Ok(finding)
}

#[derive(Default)]
struct Passed {
    items: u64,
    outputs: u64,
    state: u64,
    eval: u64,
    one_sided: u64,
}

impl Passed {
    fn count(&mut self, key: &Key) {
        self.items += 1;
        self.state += u64::from(matches!(key, Key::State(_)));
        self.outputs += u64::from(matches!(key, Key::Tensor(_, _, Role::Out, _)));
    }

    fn words(&self, kernel: bool) -> Vec<String> {
        let mut words = Vec::new();
        if kernel {
            if self.one_sided > 0 {
                words.push(format!("{} tensors that only one side has", self.one_sided));
            }
            return words;
        }
        words.push("tensors inside a step, and the order of events".to_owned());
        if self.state == 0 {
            words.push("state: no leaf was recorded".to_owned());
        }
        if self.eval > 0 {
            words.push(format!("{} scalars of evaluations that only one side made", self.eval));
        }
        words
    }
}

/// The first divergence of one step. The state decides; tensors, where both recorded them, tell the node.
fn compare_step(left: &Step, right: &Step, common_only: bool, passed: &mut Passed) -> Option<Divergence> {
    match (left.trained(), right.trained()) {
        (true, false) => return Some(missing_step(left)),
        (false, true) => return Some(missing_step(right)),
        _ => {}
    }
    let mut found: Option<(usize, Divergence)> = None;
    let mut keep = |place: usize, divergence: Divergence| {
        if found.as_ref().is_none_or(|(old, _)| place < *old) {
            found = Some((place, divergence));
        }
    };
    for (key, value) in &left.items {
        let other = right.items.get(key);
        if other.is_none() && may_be_absent(key, common_only, passed) {
            continue;
        }
        passed.count(key);
        if other.is_none_or(|other| other.0 != value.0) {
            keep(value.1, of_item(left, key, Some(value), other));
        }
    }
    for (key, value) in right.items.iter().filter(|(key, _)| !left.items.contains_key(*key)) {
        if !may_be_absent(key, common_only, passed) {
            keep(value.1, of_item(right, key, None, Some(value)));
        }
    }
    let Some((_, divergence)) = found else { return end(left, right) };
    Some(node(left, right).unwrap_or(divergence))
}

fn may_be_absent(key: &Key, common_only: bool, passed: &mut Passed) -> bool {
    match key {
        Key::Scalar(name) if name.starts_with(EVAL) => {
            passed.eval += 1;
            true
        }
        Key::Tensor(..) if common_only => {
            passed.one_sided += 1;
            true
        }
        _ => false,
    }
}

/// The node whose output differs first, if both sides recorded it.
fn node(left: &Step, right: &Step) -> Option<Divergence> {
    let last = left.records.iter().map(|(rank, _)| *rank).max()?;
    (0..=last).find_map(|rank| {
        let a: Vec<_> = left.records.iter().filter(|(owner, _)| *owner == rank).map(|(_, record)| record).collect();
        let b: Vec<_> = right.records.iter().filter(|(owner, _)| *owner == rank).map(|(_, record)| record).collect();
        first(Sides { left: &a, right: &b, rank }, Alignment::ByName)
    })
}

fn end(left: &Step, right: &Step) -> Option<Divergence> {
    if left.end == right.end {
        return None;
    }
    let text = |end: Option<u64>| end.map_or_else(|| "not at the end".to_owned(), |steps| format!("end of {steps}"));
    let mut divergence = missing_step(left);
    divergence.left = text(left.end);
    divergence.right = text(right.end);
    Some(divergence)
}

/// One run has a step that the other does not have.
fn missing_step(step: &Step) -> Divergence {
    let key = Key::Scalar("step".to_owned());
    let value = (Value { dtype: String::new(), shape: Vec::new(), bits: step.step.to_string() }, 0);
    let mut divergence = of_item(step, &key, Some(&value), None);
    divergence.kind = Kind::Missing;
    "the whole step".clone_into(&mut divergence.name);
    "the two runs did not make the same steps".clone_into(&mut divergence.cause);
    divergence
}
