//! The text of a failure: at most twelve lines of at most 160 columns, the same on the terminal, in JUnit and in an
//! annotation.

use crate::divergence::{Divergence, Kind};
use crate::elements::ElementReport;
use crate::outcome::Outcome;
use std::path::Path;

/// Most lines of a failure text.
pub const LINES: usize = 12;
/// Most columns of a line.
pub const COLUMNS: usize = 160;
/// Indent of a continued command.
const INDENT: &str = "             ";

/// The failure text of an outcome. `reproduce` and `closer` are commands; each may take two lines. `report` is where
/// the full report lies.
#[must_use]
pub fn failure_text(outcome: &Outcome, reproduce: &str, closer: &str, report: &Path) -> String {
    let mut lines = Vec::new();
    let what = format!("{} {} · {}: {}", outcome.verdict, outcome.claim, outcome.trial, outcome.message);
    // Without a divergence the message is all there is, so it may take the lines that a divergence would.
    let room = if outcome.divergence.is_some() { 1 } else { 5 };
    lines.extend(wrap(&what, room));
    if let Some(divergence) = &outcome.divergence {
        lines.extend(divergence_lines(divergence));
    }
    lines.extend(command("reproduce", reproduce));
    lines.extend(command("look closer", closer));
    let not = match outcome.not_compared.as_slice() {
        [] => "nothing that the claim covers".to_owned(),
        some => some.join("; "),
    };
    lines.push(line("not compared", &not));
    lines.push(line("report", &report.display().to_string()));
    debug_assert!(lines.len() <= LINES, "a failure text has at most {LINES} lines");
    lines.join("\n")
}

fn divergence_lines(divergence: &Divergence) -> Vec<String> {
    let inputs = match divergence.inputs_equal {
        Some(true) => "equal",
        Some(false) => "not equal",
        None => "not recorded",
    };
    let values = format!("{inputs} · left {} · right {}", divergence.left, divergence.right);
    let mut lines = vec![line("first", &divergence.place()), line("inputs", &values)];
    if let Some(elements) = &divergence.elements {
        lines.push(line("elements", &element_text(elements)));
    }
    if let Some(contract) = &divergence.contract {
        let variant = divergence.variant.as_deref().unwrap_or("unknown");
        lines.push(line("contract", &format!("{contract}, variant {variant}")));
    }
    let cause = match (divergence.kind, &divergence.producer) {
        (Kind::Overwrite, Some(producer)) => format!("{} (written by {producer})", divergence.cause),
        _ => divergence.cause.clone(),
    };
    lines.push(line("likely cause", &cause));
    lines
}

fn element_text(elements: &ElementReport) -> String {
    let ElementReport { count, total, max_ulp, first_index, first_left, first_right, pattern } = elements;
    format!(
        "{count} of {total} differ, up to {max_ulp} ulp; first at {first_index:?} ({:x} / {:x}); {pattern}",
        first_left.bits, first_right.bits
    )
}

fn line(label: &str, text: &str) -> String {
    clip(&format!("{label:<12} {text}"))
}

/// A text over at most `lines` lines, broken at spaces; the last line is cut when it does not fit.
fn wrap(text: &str, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let current = wrapped.last_mut().expect("there is always a line");
        let fits = current.chars().count() + 1 + word.chars().count() <= COLUMNS;
        if current.is_empty() {
            current.push_str(word);
        } else if fits || wrapped.len() == lines {
            let current = wrapped.last_mut().expect("there is always a line");
            current.push(' ');
            current.push_str(word);
        } else {
            wrapped.push(format!("{INDENT}{word}"));
        }
    }
    wrapped.iter().map(|line| clip(line)).collect()
}

/// One line, cut with an ellipsis when it is too long.
fn clip(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= COLUMNS {
        return text;
    }
    let mut short: String = text.chars().take(COLUMNS - 1).collect();
    short.push('…');
    short
}

/// A command on one or two lines; the break is one that a shell understands.
fn command(label: &str, text: &str) -> Vec<String> {
    let whole = format!("{label:<12} {text}");
    if whole.chars().count() <= COLUMNS {
        return vec![clip(&whole)];
    }
    let room = COLUMNS - INDENT.len() - 2;
    let fits = |(at, _): &(usize, char)| text[..*at].chars().count() <= room;
    match text.char_indices().filter(|(_, c)| *c == ' ').take_while(fits).last() {
        Some((at, _)) => {
            vec![clip(&format!("{label:<12} {} \\", &text[..at])), clip(&format!("{INDENT}{}", &text[at + 1..]))]
        }
        None => vec![clip(&whole)],
    }
}

#[cfg(test)]
mod tests;
