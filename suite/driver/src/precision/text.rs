//! The report for a terminal.

use super::model::{Errors, Losses, PrecisionReport, TensorRow};
use std::path::Path;

/// Rows of tensors, and of steps, that a terminal shows; the files have all.
const TENSORS: usize = 20;
const STEPS: usize = 24;
/// Relative difference of the shadows above which they are not one computation.
pub(super) const SHADOW_GAP: f64 = 1e-9;

/// What was compared, the losses, where the two runs part, the worst tensors, and where the files lie.
#[must_use]
pub fn text(report: &PrecisionReport, out: &Path) -> String {
    let [first, second] = &report.sides;
    let mut lines = vec![
        format!("first   {}: {}", first.name, first.precision),
        format!("second  {}: {}", second.name, second.precision),
        String::new(),
    ];
    let losses: Vec<Vec<String>> = report.losses.iter().take(STEPS).map(loss_row).collect();
    lines.push(columns(&["step", "first", "second", "f64", "second−first", "first−f64", "second−f64"], &losses));
    if report.losses.len() > STEPS {
        lines.push(format!("({} more steps in the files)", report.losses.len() - STEPS));
    }
    lines.push(String::new());
    lines.extend(notes(report));
    lines.push(String::new());
    let rows: Vec<Vec<String>> = report.tensors.iter().take(TENSORS).map(row).collect();
    let head = [
        "tensor, worst first",
        "phase",
        "dtype",
        "rel. RMS",
        "RMS ulp",
        "max ulp",
        "max abs",
        "dtype",
        "rel. RMS",
        "RMS ulp",
        "max ulp",
        "max abs",
    ];
    lines.push(columns(&head, &rows));
    lines.push(format!(
        "{} tensors; first recipe left, second right; errors against the f64 shadow",
        report.tensors.len()
    ));
    for name in ["precision.html", "precision.json", "loss.svg"] {
        lines.push(format!("report: {}", out.join(name).display()));
    }
    lines.join("\n")
}

/// Step, losses of both and of the shadow, and their differences.
pub(super) fn loss_row(losses: &Losses) -> Vec<String> {
    let exact = [losses.loss[0], losses.loss[1], losses.shadow].map(|loss| cell(loss, |loss| format!("{loss:.6}")));
    let differences = [losses.difference, losses.error[0], losses.error[1]];
    let differences = differences.map(|loss| cell(loss, |loss| format!("{loss:+.2e}")));
    [losses.step.to_string()].into_iter().chain(exact).chain(differences).collect()
}

/// Losses on held-out text of both and of the shadow.
pub(super) fn held_out_row(losses: &Losses) -> Vec<String> {
    let held_out = [losses.held_out[0], losses.held_out[1], losses.shadow_held_out];
    held_out.map(|loss| cell(loss, |loss| format!("{loss:.6}"))).to_vec()
}

/// Facts that no table shows.
pub(super) fn notes(report: &PrecisionReport) -> Vec<String> {
    let mut notes = Vec::new();
    match &report.parting {
        None => notes.push("the two runs do not part: every tensor of every step has equal bits".to_owned()),
        Some(at) => {
            let [module, op] = [&at.module, &at.op].map(|name| name.as_deref().unwrap_or("-"));
            notes.push(format!(
                "the two runs part at step {}, {}, module {module}, op {op}, tensor {}",
                at.step, at.phase, at.name
            ));
            let inputs = match at.inputs_equal {
                Some(true) => "equal",
                Some(false) => "not equal",
                None => "none or not recorded",
            };
            notes.push(format!("  inputs {inputs}; first {}; second {}", at.left, at.right));
            notes.push(format!("  {}", at.cause));
        }
    }
    for side in report.sides.iter().filter(|side| !side.skipped.is_empty()) {
        notes.push(format!("{}: steps {:?} were skipped and enter no error of a tensor", side.name, side.skipped));
    }
    if report.sides[0].skipped != report.sides[1].skipped || report.shadow_gap > SHADOW_GAP {
        notes.push(format!(
            "the two shadows are not one computation (losses differ by {:.1e}): the runs decided differently about a step",
            report.shadow_gap
        ));
    }
    if !report.not_shadowed.is_empty() {
        notes.push(format!("without an f64 oracle, taken from the run: {}", report.not_shadowed.join(", ")));
    }
    notes
}

fn row(row: &TensorRow) -> Vec<String> {
    let mut cells = vec![name(row), row.place.phase.clone()];
    row.sides.iter().for_each(|side| cells.extend(numbers(side.as_ref())));
    cells
}

/// Module and tensor; the tensor's name often starts with the module's.
pub(super) fn name(row: &TensorRow) -> String {
    let place = &row.place;
    let name = if place.tensor.contains(&place.module) {
        place.tensor.clone()
    } else {
        format!("{}: {}", place.module, place.tensor)
    };
    if place.occurrence == 0 { name } else { format!("{name} ({})", place.occurrence + 1) }
}

/// Dtype, relative RMS, RMS ulp, max ulp, max abs.
pub(super) fn numbers(errors: Option<&Errors>) -> [String; 5] {
    let Some(errors) = errors else { return ["-", "-", "-", "-", "-"].map(str::to_owned) };
    let short = |value: f64| {
        if value != 0.0 && !(0.01..1e5).contains(&value) { format!("{value:.1e}") } else { format!("{value:.2}") }
    };
    let relative = match errors.not_finite {
        0 => cell(errors.relative_rms, |value| format!("{value:.1e}")),
        count => format!("{count} not finite"),
    };
    [errors.dtype.clone(), relative, short(errors.rms_ulp), short(errors.max_ulp), format!("{:.1e}", errors.max_abs)]
}

fn cell(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Aligned columns: the first to the left, the others to the right.
fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&mut head.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}
