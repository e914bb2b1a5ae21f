//! The closing lines of a call: a table of verdicts by level and claim, and what a reader must know besides.

use super::model::Report;
use contract::claim::{Claim, Level};
use contract::verdict::Verdict;
use std::path::Path;

/// Width of a column: the longest verdict and a blank.
const WIDTH: usize = 17;
const LABEL: usize = 11;
/// Trials that are named one by one as not compared.
const NAMED: usize = 12;

/// Verdicts by level (rows) and claim (columns); only columns that were tried. A cell holds the worst verdict and the
/// number of trials: `PASS 12`.
#[must_use]
pub fn table(report: &Report) -> String {
    let tried = |level: Option<Level>, claim: Option<Claim>| {
        let of = report.trials.iter().filter(move |trial| trial.level == level && trial.claim == claim);
        let verdicts: Vec<_> = of.map(|trial| trial.outcome.verdict).collect();
        (!verdicts.is_empty()).then(|| (Verdict::worst(verdicts.iter().copied()), verdicts.len()))
    };
    let columns: Vec<Claim> = Claim::ALL
        .into_iter()
        .filter(|claim| Level::ALL.iter().any(|level| tried(Some(*level), Some(*claim)).is_some()))
        .collect();
    let mut lines = Vec::new();
    if !columns.is_empty() {
        let heads: String = columns.iter().map(|claim| format!("{:WIDTH$}", claim.name())).collect();
        lines.push(format!("{:LABEL$}{heads}", ""));
    }
    for level in Level::ALL {
        let cells: Vec<_> = columns.iter().map(|claim| tried(Some(level), Some(*claim))).collect();
        if cells.iter().any(Option::is_some) {
            let cells: String = cells.into_iter().map(|cell| format!("{:WIDTH$}", cell_text(cell))).collect();
            lines.push(format!("{:LABEL$}{cells}", level.name()));
        }
    }
    for trial in report.trials.iter().filter(|trial| trial.level.is_none()) {
        let name = trial.trial.rsplit("::").next().unwrap_or(&trial.trial);
        lines.push(format!("{name:LABEL$}{} ({})", trial.outcome.verdict, trial.recipe));
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn cell_text(cell: Option<(Verdict, usize)>) -> String {
    match cell {
        None => "-".to_owned(),
        Some((Verdict::Pass, count)) => format!("PASS {count}"),
        Some((verdict, _)) => verdict.name().to_owned(),
    }
}

/// Table, kill points, what was not compared, seed, where the report lies, and the verdict.
#[must_use]
pub fn closing(report: &Report, files: Option<&Path>) -> String {
    let mut lines = vec![table(report), String::new()];
    let points = report.kill_points;
    if points.listed + points.killed + points.resumed > 0 {
        let sign = |a: u64, b: u64| if a == b { "=" } else { "≠" };
        lines.push(format!(
            "kill points: listed {} {} killed {} {} resumed {}",
            points.listed,
            sign(points.listed, points.killed),
            points.killed,
            sign(points.killed, points.resumed),
            points.resumed
        ));
    }
    for left_out in report.not_compared.iter().take(NAMED) {
        lines.push(format!("not compared: {}: {}", left_out.trial, left_out.reason));
    }
    if report.not_compared.len() > NAMED {
        lines.push(format!("not compared: {} more; the report names them", report.not_compared.len() - NAMED));
    }
    lines.push(format!("seed: {}", report.seed));
    if let Some(files) = files {
        lines.push(format!("report: {}", files.display()));
    }
    let (failed, trials) = (report.failures().len(), report.trials.len());
    let count = if failed == 0 { format!("{trials} trials") } else { format!("{failed} of {trials} trials failed") };
    lines.push(format!("verdict: {} ({count}). {}", report.verdict, report.sentence));
    lines.join("\n")
}
