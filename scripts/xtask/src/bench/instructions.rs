//! Instruction counts: what valgrind counts for each kernel, beside what was counted when the table was committed.
//!
//! A count is repeatable to a few instructions in a thousand million, so it shows a change that no clock would. It says
//! nothing of time: an instruction of AVX2 is not one of the baseline.

use super::{MANIFEST, TARGET};
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write;
use thiserror::Error;
use xshell::{Shell, cmd};

#[cfg(test)]
mod tests;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Writes the counts into the committed table.
    #[arg(long)]
    write: bool,
    /// Fails when a count has grown by more than this.
    #[arg(long, value_name = "PERCENT", conflicts_with = "write")]
    limit: Option<f64>,
}

#[derive(Debug, Error)]
pub enum InstructionsError {
    #[error("`{tool}` is not there, or not version {version}\n  expected: `{tool} --version` in PATH\n  do: {install}")]
    Absent { tool: &'static str, version: &'static str, install: &'static str },
    #[error("the benchmark printed {found} counts; expected {expected}, one for each kernel and instruction set")]
    Counts { found: usize, expected: usize },
    #[error("{0} is no table of counts; write it again with --write")]
    Table(String),
    #[error("{count} counts have grown by more than {limit} %")]
    Grown { count: usize, limit: f64 },
    #[error(transparent)]
    Command(#[from] xshell::Error),
}

/// The committed table.
const TABLE: &str = "scripts/bench/instructions.md";
/// What both have to be; the manifest of the benchmarks names the same.
const RUNNER: &str = "0.20.0";
const LEVELS: [&str; 2] = ["scalar", "avx2"];

/// Counts by kernel: one for each of [`LEVELS`].
type Counts = Vec<(String, [u64; 2])>;

/// Counts, compares and prints.
///
/// # Errors
/// When valgrind or the runner is absent, the benchmark fails, or a count has grown by more than the limit.
pub fn run(shell: &Shell, arguments: &Arguments) -> Result<(), InstructionsError> {
    tools(|tool| cmd!(shell, "{tool} --version").quiet().ignore_stderr().read().ok())?;
    let common = ["--quiet", "--locked", "--manifest-path", MANIFEST, "--target-dir", TARGET];
    let names = cmd!(shell, "cargo run --release {common...} --bin workloads").quiet().read()?;
    let home = shell.current_dir().join(TARGET).join("gungraun");
    let _plain = [
        shell.push_env("GUNGRAUN_COLOR", "never"),
        shell.push_env("CARGO_TERM_COLOR", "never"),
        shell.push_env("GUNGRAUN_HOME", home),
    ];
    let output = cmd!(shell, "cargo bench {common...} --bench instructions").quiet().read()?;
    let counts = counts(&names, &output)?;
    if arguments.write {
        shell.write_file(TABLE, table(&counts))?;
        print!("{}", table(&counts));
        return Ok(());
    }
    let committed = parse(&shell.read_file(TABLE)?).ok_or_else(|| InstructionsError::Table(TABLE.to_owned()))?;
    print!("{}", comparison(&committed, &counts));
    let limit = arguments.limit.unwrap_or(f64::INFINITY);
    match grown(&committed, &counts, limit) {
        0 => Ok(()),
        count => Err(InstructionsError::Grown { count, limit }),
    }
}

/// Asks both tools for their version.
fn tools(version: impl Fn(&str) -> Option<String>) -> Result<(), InstructionsError> {
    let absent = |tool, version, install| Err(InstructionsError::Absent { tool, version, install });
    if version("valgrind").is_none() {
        return absent("valgrind", "3.15 or newer", "apt-get install valgrind, or the package of your system");
    }
    if !version("gungraun-runner").is_some_and(|text| text.contains(RUNNER)) {
        return absent("gungraun-runner", RUNNER, "cargo install gungraun-runner --version 0.20.0 --locked");
    }
    Ok(())
}

/// Counts from the text of the benchmark: a line with `LEVEL_PLACE`, and below it one with `Instructions:`.
fn counts(names: &str, output: &str) -> Result<Counts, InstructionsError> {
    let names: Vec<&str> = names.lines().collect();
    let mut found: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    let mut current = None;
    for line in output.lines() {
        let place = |word: &str| {
            let (level, place) = word.split_once(':').map_or(word, |(word, _)| word).split_once('_')?;
            Some((place.parse().ok()?, LEVELS.iter().position(|known| *known == level)?))
        };
        current = line.split_whitespace().find_map(place).or(current);
        let count = line.trim().strip_prefix("Instructions:");
        let count = count.and_then(|text| text.trim().split(['|', ' ']).next()?.parse().ok());
        if let (Some(at), Some(count)) = (current, count) {
            found.insert(at, count);
            current = None;
        }
    }
    let of = |place, name: &&str| Some(((*name).to_owned(), [*found.get(&(place, 0))?, *found.get(&(place, 1))?]));
    let counts: Counts = names.iter().enumerate().filter_map(|(place, name)| of(place, name)).collect();
    if counts.len() == names.len() && !names.is_empty() {
        return Ok(counts);
    }
    Err(InstructionsError::Counts { found: found.len(), expected: 2 * names.len() })
}

fn table(counts: &Counts) -> String {
    let mut text = String::from("| kernel | scalar | AVX2 |\n| --- | ---: | ---: |\n");
    for (name, [scalar, avx2]) in counts {
        let _ = writeln!(text, "| {name} | {scalar} | {avx2} |");
    }
    text
}

fn parse(text: &str) -> Option<Counts> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [name, scalar, avx2] = cells[..] else { return None };
        Some((name.to_owned(), [scalar.parse().ok()?, avx2.parse().ok()?]))
    };
    let counts: Option<Counts> = text.lines().skip(2).map(row).collect();
    counts.filter(|counts| !counts.is_empty())
}

/// Growth in percent; `None` for a kernel that the table does not have.
fn growth(committed: &Counts, name: &str, level: usize, now: u64) -> Option<f64> {
    let (_, then) = committed.iter().find(|(known, _)| known == name)?;
    Some((now as f64 / then[level] as f64 - 1.0) * 100.0)
}

fn comparison(committed: &Counts, counts: &Counts) -> String {
    let mut text = String::from("| kernel | scalar | change | AVX2 | change |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (name, now) in counts {
        let change = |level| match growth(committed, name, level, now[level]) {
            Some(growth) => format!("{growth:+.2} %"),
            None => "new".to_owned(),
        };
        let _ = writeln!(text, "| {name} | {} | {} | {} | {} |", now[0], change(0), now[1], change(1));
    }
    for (name, _) in committed.iter().filter(|(name, _)| counts.iter().all(|(known, _)| known != name)) {
        let _ = writeln!(text, "| {name} | gone | | gone | |");
    }
    text
}

fn grown(committed: &Counts, counts: &Counts, limit: f64) -> usize {
    let growths = counts.iter().flat_map(|(name, now)| (0..2).map(|level| growth(committed, name, level, now[level])));
    growths.flatten().filter(|growth| *growth > limit).count()
}
