//! The result of a gate: a table for people, JSON for machines.

use super::clean::CleanRun;
use super::harness::HarnessFault;
use super::matrix::Row;
use super::planted::{Fate, Planted};
use super::sensitivity::Flip;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Everything that `gate faults` found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub seed: u64,
    /// Lines that only one of the committed list and the catalogue has.
    pub list: Vec<String>,
    pub faults: Vec<Planted>,
    pub harness: Vec<HarnessFault>,
    pub matrix: Vec<Row>,
    pub clean: Vec<CleanRun>,
}

impl Report {
    /// Whether every fault was noticed and nothing else was.
    pub fn passed(&self) -> bool {
        self.list.is_empty()
            && !self.faults.is_empty()
            && self.faults.iter().all(|fault| fault.fate == Fate::Caught)
            && self.harness.iter().all(|fault| fault.caught)
            && self.matrix.iter().all(|row| row.passed)
            && self.clean.iter().all(|run| run.passed)
    }
}

pub fn write(report: &impl Serialize, path: &Path) -> Result<(), String> {
    let mut text = serde_json::to_string_pretty(report).expect("a report is plain data");
    text.push('\n');
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("report: {}", path.display());
    Ok(())
}

/// The report for people.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |fields: std::fmt::Arguments<'_>| {
        text.write_fmt(fields).expect("a string takes every line");
        text.push('\n');
    };
    line(format_args!(
        "\n{:5} {:7} {:42} {:16} {:>8} {:>6}  place",
        "fault", "fate", "trial", "verdict", "active", "s"
    ));
    for fault in &report.faults {
        let fate = format!("{:?}", fault.fate).to_lowercase();
        let seconds = fault.milliseconds as f64 / 1000.0;
        let Planted { id, trial, found, activations, place, .. } = fault;
        line(format_args!("{id:5} {fate:7} {trial:42} {found:16} {activations:8} {seconds:6.1}  {place}"));
    }
    for fault in report.faults.iter().filter(|fault| fault.fate != Fate::Caught) {
        line(format_args!("\n{}: {}\n{}", fault.id, fault.title, fault.said));
    }
    if !report.harness.is_empty() {
        line(format_args!("\ncomparer  fate    missed  title"));
    }
    for fault in &report.harness {
        let fate = if fault.caught { "caught" } else { "missed" };
        line(format_args!("{:9} {fate:7} {:6}  {}", fault.id, fault.missed, fault.title));
    }
    for row in &report.matrix {
        let cell = |(column, differs): &(String, bool)| format!("{column}: {}", if *differs { "caught" } else { "-" });
        let cells: Vec<_> = row.differs.iter().map(cell).collect();
        let verdict = if row.passed { "" } else { "  MISSED" };
        line(format_args!("{:5} {:40} {}{verdict}", row.id, row.variant, cells.join("  ")));
    }
    for run in &report.clean {
        let verdict = if run.passed { "green" } else { "FALSE ALARM" };
        line(format_args!(
            "clean seed {:6} {:40} {verdict} {}",
            run.seed,
            run.trial,
            if run.passed { "" } else { &run.message }
        ));
    }
    for difference in &report.list {
        line(format_args!("not as in {}: {difference}", super::LIST));
    }
    let count = |fate| report.faults.iter().filter(|fault| fault.fate == fate).count();
    let harness = report.harness.iter().filter(|fault| fault.caught).count();
    let alarms = report.clean.iter().filter(|run| !run.passed).count();
    line(format_args!(
        "\nmutation score: {} caught / {} planted, {} inert, {} missed; comparers: {harness} of {}; \
         false alarms: {alarms} in {} clean runs",
        count(Fate::Caught),
        report.faults.len(),
        count(Fate::Inert),
        count(Fate::Missed) + count(Fate::Infra),
        report.harness.len(),
        report.clean.len(),
    ));
    text
}

/// The flips that were not noticed, and a count for each room.
pub fn flips(flips: &[Flip]) -> String {
    let mut rooms: std::collections::BTreeMap<&str, (usize, usize)> = std::collections::BTreeMap::new();
    for flip in flips {
        let count = rooms.entry(&flip.room).or_default();
        count.0 += usize::from(flip.caught);
        count.1 += 1;
    }
    let mut lines: Vec<String> =
        rooms.iter().map(|(room, (caught, all))| format!("{room:20} {caught} of {all}")).collect();
    for flip in flips.iter().filter(|flip| !flip.caught) {
        let Flip { kernel, variant, output, verdict, named, .. } = flip;
        lines.push(format!("MISSED {kernel} {variant} output {output}: {verdict}, {named}"));
    }
    lines.push(String::new());
    lines.join("\n")
}
