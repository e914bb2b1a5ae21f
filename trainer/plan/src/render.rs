//! Prints a plan for people and for snapshot tests: every node, every operand, every buffer.

use crate::graph::{Node, Plan, Template, ValueKind};
use library::room::ValueId;
use std::fmt::Write;

/// The plan as text. Lines are stable under passes that do not concern them.
#[must_use]
pub fn render(plan: &Plan) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "plan of {}, part {}, recipe digest {}", plan.recipe, plan.part, &plan.recipe_digest[..16]);
    let _ = writeln!(
        text,
        "{} steps, {} micro-batches of {} units, {} buffers, peak {} bytes",
        plan.steps,
        plan.micro_batches,
        plan.micro_batch_units,
        plan.slots.len(),
        plan.peak_bytes()
    );
    for template in &plan.templates {
        let _ = writeln!(text, "{} × {}: {} nodes", template.name, template.repeats, template.nodes.len());
        for nodes in template.nodes.chunk_by(|first, second| one_line(template, first, second)) {
            let lines: Vec<String> = nodes.iter().map(|node| line(plan, node)).collect();
            let _ = writeln!(text, "  {}", lines.join("; "));
        }
    }
    text
}

/// What starts or updates one parameter and its state is of one kind everywhere, so it shares a line.
fn one_line(template: &Template, first: &Node, second: &Node) -> bool {
    let parameter = |node: &Node| {
        let state = [".first_moment", ".second_moment", ".average"];
        state.into_iter().find_map(|suffix| node.module.strip_suffix(suffix)).unwrap_or(&node.module).to_owned()
    };
    matches!(template.name.as_str(), "init" | "optimizer") && parameter(first) == parameter(second)
}

fn line(plan: &Plan, node: &Node) -> String {
    let list = |values: &[ValueId]| values.iter().map(|value| operand(plan, *value)).collect::<Vec<_>>().join(" ");
    let mut line = format!("{} [{}] {} → {}", node.id, node.variant, list(&node.inputs), list(&node.outputs));
    if node.in_place > 0 {
        let _ = write!(line, " (in place: {})", node.in_place);
    }
    if let Some(bucket) = node.bucket {
        let _ = write!(line, " (bucket {bucket})");
    }
    line
}

fn operand(plan: &Plan, id: ValueId) -> String {
    let value = plan.value(id);
    match value.kind {
        ValueKind::Transient => format!("b{}:{}", value.slot, value.spec),
        _ => format!("{}:{}", value.name, value.spec),
    }
}
