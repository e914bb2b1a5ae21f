//! The harness: from a command line to trials that ran, were judged and were told.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`prepare`] | reads the adapter, asks the trainer, chooses the trials |
//! | [`session`] | what all trials of a call share |
//! | [`specs`] | the runs that trials compare |
//! | [`trial`] | one trial, from its start to its report |
//! | [`trials`] | what is tried for each claim |
//! | [`closer`] | looks again, closely, at a step that differed |
//! | [`estimate`] | time and disk before a long call |
//!
//! libtest-mimic runs the trials, so every option of libtest works. The exit code is that of the worst verdict.

mod closer;
mod estimate;
mod place;
mod prepare;
mod session;
mod specs;
mod trial;
mod trials;

#[cfg(test)]
mod tests;

pub use prepare::{AdapterSource, find_root};
pub use trial::neutralise;

use crate::catalogue::{Entry, Scope};
use crate::options::{Options, refuse};
use crate::report::{Collector, Event, Files, NotCompared, RecipeReport, Style, Terminal, annotations, write_all};
use contract::verdict::Verdict;
use place::Surroundings;
use prepare::Prepared;
use session::Session;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Exit code of a command line that cannot be understood.
const USAGE: u8 = 2;

/// The `main` of a test target without libtest's own harness. `trainer` is the executable that the adapter calls so,
/// unless an option names another.
#[must_use]
pub fn harness_main(adapter: AdapterSource, trainer: &Path) -> ExitCode {
    match Options::parse_with(std::env::args_os(), variable) {
        Ok(options) => run_command(&options, adapter, trainer),
        Err(error) => {
            // `--help` is an error of clap that is none.
            let _closed_pipe = error.print();
            ExitCode::from(if error.use_stderr() { USAGE } else { 0 })
        }
    }
}

/// Whether a person sees what is printed while it happens: terminals, and no CI.
#[must_use]
pub fn person_looks() -> bool {
    Surroundings::look().person_looks
}

/// The command `lockstep run`: the harness without cargo.
#[must_use]
pub fn run_command(options: &Options, adapter: AdapterSource, trainer: &Path) -> ExitCode {
    ExitCode::from(match run(options, adapter, trainer) {
        Ok(verdict) => verdict.exit_code(),
        Err((verdict, message)) => {
            eprintln!("{verdict}: {message}");
            verdict.exit_code()
        }
    })
}

#[expect(clippy::disallowed_methods, reason = "the home of the settings that runners pass")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn run(options: &Options, adapter: AdapterSource, trainer: &Path) -> Result<Verdict, (Verdict, String)> {
    if let Some(message) = refuse(variable) {
        return Err((Verdict::Infra, message));
    }
    let surroundings = Surroundings::look();
    let prepared = prepare::prepare(options, adapter, trainer)?;
    if options.libtest.list {
        let trials = prepared.selection.entries.iter().map(|entry| shell(entry, || Ok(()))).collect();
        let _listed = libtest_mimic::run(&options.libtest, trials);
        return Ok(Verdict::Pass);
    }
    carry_out(options, &surroundings, prepared)
}

#[expect(clippy::disallowed_methods, reason = "says how long a call took")]
fn carry_out(options: &Options, surroundings: &Surroundings, prepared: Prepared) -> Result<Verdict, (Verdict, String)> {
    let infra = |message: String| (Verdict::Infra, message);
    let clock = Instant::now();
    let session = Session::open(options, &prepared, surroundings).map_err(infra)?;
    let collector = Collector::new(session.seed, session.invocation.directory());
    let files = surroundings.files(options, &session);
    let style = surroundings.style(options);
    session.bus.add(Box::new(collector.clone()));
    session.bus.add(Box::new(Terminal::new(style, Some(files.clone()), Box::new(std::io::stdout()))));
    announce(&session, &prepared, options);
    let session = Arc::new(session);
    let trials = prepared.selection.entries.iter().map(|entry| {
        let (session, body) = (Arc::clone(&session), entry.clone());
        shell(entry, move || trial::run(&session, &body))
    });
    let mut libtest = options.libtest.clone();
    if style == Style::Moving {
        // The moving lines and libtest's would write over each other; ours say the same.
        libtest.logfile = Some("/dev/null".to_owned());
    }
    let conclusion = libtest_mimic::run(&libtest, trials.collect());
    let mut report = collector.report();
    report.milliseconds = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    if conclusion.has_failed() && report.verdict == Verdict::Pass {
        return Err(infra("a trial failed and reported nothing".to_owned()));
    }
    finish(&session, report, &files, surroundings).map_err(infra)
}

fn finish(
    session: &Session,
    report: crate::report::Report,
    files: &Files,
    surroundings: &Surroundings,
) -> Result<Verdict, String> {
    let verdict = report.verdict;
    let written = write_all(files, &report);
    let lines = if surroundings.github { annotations(&report) } else { Vec::new() };
    session.bus.emit(&Event::Finished(Box::new(report)));
    for line in lines {
        println!("{line}");
    }
    written.map(|()| verdict)
}

/// A trial as libtest sees it.
fn shell(
    entry: &Entry,
    body: impl FnOnce() -> Result<(), libtest_mimic::Failed> + Send + 'static,
) -> libtest_mimic::Trial {
    libtest_mimic::Trial::test(entry.name.clone(), body).with_ignored_flag(entry.not_compared.is_some())
}

fn announce(session: &Session, prepared: &Prepared, options: &Options) {
    let run: Vec<&Entry> = prepared
        .selection
        .entries
        .iter()
        .filter(|entry| entry.not_compared.is_none() && options.filter_matches(&entry.name))
        .collect();
    let recipes =
        prepared.descriptions.iter().filter(|description| run.iter().any(|entry| entry.recipe == description.recipe));
    let recipe = |description: &contract::description::Description| RecipeReport {
        name: description.recipe.clone(),
        recipe_digest: description.recipe_digest.clone(),
        verdict: None,
    };
    let parts = run.iter().filter(|entry| matches!(entry.scope, Scope::Part { .. }));
    session.bus.emit(&Event::Started {
        trials: run.len(),
        seed: session.seed,
        recipes: recipes.map(recipe).collect(),
        estimate: Some(estimate::estimate(parts.copied(), &prepared.descriptions)),
    });
    for (trial, reason) in &prepared.selection.not_compared {
        if options.filter_matches(trial) {
            let left_out = NotCompared { trial: trial.clone(), reason: reason.clone() };
            session.bus.emit(&Event::NotCompared(left_out));
        }
    }
}
