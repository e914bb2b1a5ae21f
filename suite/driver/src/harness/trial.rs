//! One trial: its folder, its body, its report. A body that panics or cannot run is INFRA, never a pass.

use super::session::Session;
use super::trials;
use crate::catalogue::{Entry, Kind, Scope};
use crate::report::{Event, HeatMap, KillCounts, TrialReport};
use crate::run_directory;
use crate::runner::RunError;
use contract::claim::Claim;
use contract::verdict::Verdict;
use judge::Outcome;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Why a body has no outcome.
#[derive(Debug)]
pub enum Halt {
    Run(RunError),
    Infra(String),
    NoGolden(String),
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl Halt {
    fn outcome(self, claim: Claim, trial: &str) -> Outcome {
        let (verdict, message) = match self {
            Self::Run(error) => (error.verdict(), error.to_string()),
            Self::Infra(message) => (Verdict::Infra, message),
            Self::NoGolden(message) => (Verdict::NoGolden, message),
        };
        Outcome::new(verdict, claim, trial, message)
    }
}

/// What a body found.
pub struct Judged {
    pub outcome: Outcome,
    pub kill_points: KillCounts,
    /// Trace directories of the pair that was compared, the plain one first.
    pub pair: Option<(PathBuf, PathBuf)>,
}

impl Judged {
    pub const fn new(outcome: Outcome) -> Self {
        Self { outcome, kill_points: KillCounts { listed: 0, killed: 0, resumed: 0 }, pair: None }
    }

    pub fn of_pair(outcome: Outcome, left: PathBuf, right: PathBuf) -> Self {
        Self { pair: Some((left, right)), ..Self::new(outcome) }
    }
}

/// What a body works with.
pub struct Context<'a> {
    pub session: &'a Session,
    pub entry: &'a Entry,
    pub folder: run_directory::Trial,
}

impl Context<'_> {
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Says what is done now.
    pub fn progress(&self, message: impl Into<String>) {
        self.session.bus.progress(&self.entry.name, message);
    }
}

/// Runs a trial, reports it, and hands libtest the failure text.
#[expect(clippy::disallowed_methods, reason = "says how long a trial took")]
pub fn run(session: &Session, entry: &Entry) -> Result<(), libtest_mimic::Failed> {
    let clock = Instant::now();
    session.bus.emit(&Event::TrialStarted { trial: entry.name.clone() });
    let claim = claim_of(entry);
    let folder = session.invocation.trial(&entry.name);
    let judged = match &folder {
        Err(error) => Judged::new(Halt::Infra(format!("no folder for the trial: {error}")).outcome(claim, &entry.name)),
        Ok(folder) => {
            let context = Context { session, entry, folder: folder.clone() };
            let judged = catch_unwind(AssertUnwindSafe(|| trials::body(&context)));
            match judged {
                Ok(Ok(judged)) => judged,
                Ok(Err(halt)) => Judged::new(halt.outcome(claim, &entry.name)),
                Err(panic) => {
                    let message = format!("the trial panicked: {}", panic_text(panic.as_ref()));
                    Judged::new(Halt::Infra(message).outcome(claim, &entry.name))
                }
            }
        }
    };
    let mut report = report(session, entry, judged, folder.as_ref().ok());
    report.milliseconds = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    let result = if report.outcome.passed() { Ok(()) } else { Err(report.failure.clone().into()) };
    session.bus.emit(&Event::TrialFinished(Box::new(report)));
    result
}

fn report(session: &Session, entry: &Entry, judged: Judged, folder: Option<&run_directory::Trial>) -> TrialReport {
    let Judged { mut outcome, kill_points, pair } = judged;
    outcome.message = within(&outcome.message, session, folder);
    let passed = outcome.passed();
    let environment = pair
        .as_ref()
        .and_then(|(left, _)| judge::evidence::read_env(left).ok())
        .map_or_else(BTreeMap::new, |file| file.values);
    let reproduce = reproduce(entry, session.seed);
    let mut runs = Vec::new();
    if let Some(folder) = folder {
        // Folders are conveniences: failing to mark or remove one changes no verdict.
        let _kept = if passed && !session.keep { folder.discard() } else { folder.failed() };
        if !passed || session.keep {
            runs.push(folder.directory.clone());
            runs.extend(pair.iter().flat_map(|(left, right)| [left.clone(), right.clone()]));
        }
    }
    let closer = match &pair {
        Some((left, right)) => format!("lockstep compare {} {}", short(left), short(right)),
        None => format!("lockstep plan --recipe {}", entry.recipe),
    };
    let failure = if passed {
        String::new()
    } else {
        let page = session.reports.join("report.html");
        neutralise(&judge::report::failure_text(&outcome, &reproduce, &closer, Path::new(&short(&page))))
    };
    TrialReport {
        trial: entry.name.clone(),
        recipe: entry.recipe.clone(),
        level: entry.level(),
        claim: entry.claim(),
        heat_map: pair.filter(|_| !passed).and_then(|(left, right)| HeatMap::of(&left, &right)),
        outcome,
        failure,
        reproduce,
        kill_points,
        runs,
        environment,
        milliseconds: 0,
    }
}

/// The claim that an outcome of the entry carries. Trials of the recipe as a whole are about golden files (the list)
/// and about comparing (the canary).
fn claim_of(entry: &Entry) -> Claim {
    match &entry.scope {
        Scope::Coverage => Claim::Golden,
        Scope::Canary => Claim::Repeat,
        Scope::Part { kind, .. } => Kind::claim(kind),
    }
}

/// The command that makes the trial again.
fn reproduce(entry: &Entry, seed: u64) -> String {
    format!("cargo test --test determinism -- --recipe {} --seed {seed} --exact {}", entry.recipe, entry.name)
}

/// The message with paths relative to the trial's folder or that of the invocation: a line is short, and the report
/// names both.
fn within(message: &str, session: &Session, folder: Option<&run_directory::Trial>) -> String {
    let mut message = message.to_owned();
    for folder in folder.map(|folder| folder.directory.as_path()).into_iter().chain([session.invocation.directory()]) {
        message = message.replace(&format!("{}/", folder.display()), "");
    }
    message
}

/// A path relative to the working directory when it lies below, since lines are short.
fn short(path: &Path) -> String {
    let below = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).map(Path::to_owned).ok());
    below.unwrap_or_else(|| path.to_owned()).display().to_string()
}

/// Takes the meaning of workflow commands from text that a trainer may have written: one kind is understood anywhere
/// in a line, the other at its beginning.
#[must_use]
pub fn neutralise(text: &str) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix("::") {
        Some(rest) => format!(": :{rest}"),
        None => line.replace("##[", "## ["),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
