//! GitHub Actions: a step summary in Markdown and one annotation for each failing recipe.
//!
//! Text from a trainer is never printed as it is: a line of it could be a workflow command.

use super::model::Report;
use super::table::table;
use std::fmt::Write;

/// GitHub drops a larger summary as a whole.
const SUMMARY_LIMIT: usize = 1 << 20;

/// The step summary, at most 1 MiB.
#[must_use]
pub fn step_summary(report: &Report) -> String {
    let mut text = format!("## lockstep: {}\n\n{}\n\n", report.verdict, report.sentence);
    let points = report.kill_points;
    let _infallible = writeln!(text, "```text\n{}\n```\n", fenced(&table(report)));
    if points.listed > 0 {
        let _infallible = writeln!(
            text,
            "Kill points: listed {}, killed {}, resumed {}.\n",
            points.listed, points.killed, points.resumed
        );
    }
    let _infallible = writeln!(text, "Seed: {}\n", report.seed);
    for trial in report.failures() {
        let block = format!("### `{}`\n\n```text\n{}\n```\n\n", trial.trial, fenced(&trial.failure));
        if text.len() + block.len() + 200 > SUMMARY_LIMIT {
            text.push_str("More failures stand in the report file.\n");
            break;
        }
        text.push_str(&block);
    }
    if !report.not_compared.is_empty() {
        let mut block = "<details><summary>Not compared</summary>\n\n".to_owned();
        for left_out in &report.not_compared {
            let _infallible = writeln!(block, "- `{}`: {}", left_out.trial, left_out.reason);
        }
        block.push_str("\n</details>\n");
        if text.len() + block.len() < SUMMARY_LIMIT {
            text.push_str(&block);
        }
    }
    text
}

fn fenced(text: &str) -> String {
    text.replace("```", "'''")
}

/// One `::error` line for each failing recipe, with its worst failure.
#[must_use]
pub fn annotations(report: &Report) -> Vec<String> {
    let failures = report.failures();
    let mut lines = Vec::new();
    for recipe in &report.recipes {
        let of_recipe: Vec<_> = failures.iter().filter(|trial| trial.recipe == recipe.name).collect();
        if let Some(worst) = of_recipe.first() {
            let title = format!("{} {} ({} trials failed)", recipe.name, worst.outcome.verdict, of_recipe.len());
            lines.push(format!("::error title={}::{}", property(&title), message(&worst.failure)));
        }
    }
    lines
}

/// Escapes the message of a workflow command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
