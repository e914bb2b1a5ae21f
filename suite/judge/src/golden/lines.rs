//! The lines of a golden, from a run.

use crate::evidence::{EvidenceError, Run};
use crate::steps::{Key, Step, Steps, Value, shape_text};
use contract::record::{Body, Role};
use contract::request::Part;
use std::collections::BTreeSet;

pub struct Lines {
    pub lines: Vec<String>,
    /// Contracts that tensor records name.
    pub contracts: BTreeSet<String>,
}

/// Collects the lines of a complete run, one step in memory at a time.
pub fn collect(run: &mut Run) -> Result<Lines, EvidenceError> {
    let part = run.file.part.clone();
    let kernel = matches!(part, Part::Kernel(_));
    let mut all = Lines { lines: Vec::new(), contracts: BTreeSet::new() };
    let mut last_state = Vec::new();
    let mut steps = Steps::new(run, kernel);
    while let Some(step) = steps.next_step()? {
        all.contracts.extend(step.records.iter().filter_map(|(_, record)| match &record.body {
            Body::Tensor(tensor) => Some(tensor.contract.clone()),
            _ => None,
        }));
        if kernel {
            all.lines.extend(case_lines(&step));
            continue;
        }
        all.lines.extend(scalar_lines(&step));
        let state = state_lines(&step);
        if state.is_empty() {
            continue;
        }
        all.lines.push(format!("{} all-state {}", step.step, blake3::hash(state.join("\n").as_bytes()).to_hex()));
        match part {
            Part::EndToEnd => last_state = state,
            _ => all.lines.extend(state),
        }
    }
    all.lines.extend(last_state);
    Ok(all)
}

/// Lines of one case, in the order of execution.
fn case_lines(step: &Step) -> Vec<String> {
    let mut lines: Vec<_> = step
        .items
        .iter()
        .filter_map(|(key, (value, place))| match key {
            Key::Tensor(case, tensor, role, count) => Some((*place, tensor_line(case, tensor, *role, *count, value))),
            _ => None,
        })
        .collect();
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

pub fn tensor_line(case: &str, tensor: &str, role: Role, count: u64, value: &Value) -> String {
    let role = match role {
        Role::In => "in",
        Role::Out => "out",
    };
    let again = if count == 0 { String::new() } else { format!("#{count}") };
    format!("{case}/{tensor}{again} {role} {} {} {}", value.dtype, shape_text(&value.shape), value.bits)
}

fn scalar_lines(step: &Step) -> Vec<String> {
    let line = |(key, (value, _)): (&Key, &(Value, usize))| match key {
        Key::Scalar(name) => Some(format!("{} scalar {name} {}", step.step, value.bits)),
        _ => None,
    };
    step.items.iter().filter_map(line).collect()
}

fn state_lines(step: &Step) -> Vec<String> {
    let line = |(key, (value, _)): (&Key, &(Value, usize))| match key {
        Key::State(leaf) => {
            Some(format!("{} {leaf} {} {} {}", step.step, value.dtype, shape_text(&value.shape), value.bits))
        }
        _ => None,
    };
    step.items.iter().filter_map(line).collect()
}
