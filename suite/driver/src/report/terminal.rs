//! The terminal: lines that move on a terminal of a person, plain lines everywhere else.

use super::event::{Event, Reporter};
use super::files::Files;
use super::model::{Estimate, TrialReport};
use super::table::closing;
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

/// How much is told, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A person looks: a moving line for each running trial, and libtest's own lines are ours to print.
    Moving,
    /// A log: libtest prints its lines, this reporter what stands before and after them.
    Plain,
    /// Only libtest speaks: lists, machine formats, one process a trial.
    Silent,
}

/// Seconds from which an estimate is worth a line.
const LONG: u64 = 10;

/// Tells events as they come.
pub struct Terminal {
    style: Style,
    files: Option<Files>,
    out: Box<dyn Write + Send>,
    lines: MultiProgress,
    running: BTreeMap<String, ProgressBar>,
    total: Option<ProgressBar>,
}

impl Terminal {
    /// Writes to `out`, which is standard output but in tests.
    #[must_use]
    pub fn new(style: Style, files: Option<Files>, out: Box<dyn Write + Send>) -> Self {
        let target = if style == Style::Moving { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self {
            style,
            files,
            out,
            lines: MultiProgress::with_draw_target(target),
            running: BTreeMap::new(),
            total: None,
        }
    }

    fn say(&mut self, text: &str) {
        let Self { lines, out, .. } = self;
        // A terminal that is gone cannot be told anything; the verdict stands in the exit code.
        let _gone = lines.suspend(|| writeln!(out, "{text}").and_then(|()| out.flush()));
    }

    fn start(&mut self, trials: usize, seed: u64, estimate: Option<Estimate>) {
        self.say(&format!("seed {seed} (repeat with --seed {seed})"));
        if let Some(estimate) = estimate.filter(|estimate| estimate.seconds >= LONG) {
            self.say(&estimate_text(estimate));
        }
        if self.style == Style::Moving {
            let total = self.lines.add(ProgressBar::new(trials as u64));
            total.set_style(style("{bar:30} {pos}/{len} trials {elapsed}"));
            self.total = Some(total);
        }
    }

    fn trial_started(&mut self, trial: &str) {
        let line = self.lines.add(ProgressBar::new_spinner());
        line.set_style(style("{spinner} {prefix} {msg:.dim} {elapsed}"));
        line.set_prefix(trial.to_owned());
        line.enable_steady_tick(Duration::from_millis(120));
        self.running.insert(trial.to_owned(), line);
    }

    fn trial_finished(&mut self, trial: &TrialReport) {
        if let Some(line) = self.running.remove(&trial.trial) {
            line.finish_and_clear();
        }
        if let Some(total) = &self.total {
            total.inc(1);
        }
        if trial.outcome.passed() {
            self.say(&format!("PASS {}", trial.trial));
        } else {
            self.say(&format!("\n{}\n", trial.failure));
        }
    }
}

impl Reporter for Terminal {
    fn event(&mut self, event: &Event) {
        match (self.style, event) {
            (Style::Silent, _) => {}
            (_, Event::Started { trials, seed, estimate, .. }) => self.start(*trials, *seed, *estimate),
            (Style::Moving, Event::TrialStarted { trial }) => self.trial_started(trial),
            (Style::Moving, Event::Progress { trial, message }) => {
                if let Some(line) = self.running.get(trial) {
                    line.set_message(message.clone());
                }
            }
            (Style::Moving, Event::TrialFinished(trial)) => self.trial_finished(trial),
            (_, Event::Finished(report)) => {
                if let Some(total) = self.total.take() {
                    total.finish_and_clear();
                }
                let files = self.files.as_ref().map(|files| files.html.clone());
                let text = format!("\n{}", closing(report, files.as_deref()));
                self.say(&text);
            }
            _ => {}
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a valid one")
}

fn estimate_text(estimate: Estimate) -> String {
    let Estimate { seconds, disk_bytes, runs } = estimate;
    let time = if seconds >= 120 { format!("{} minutes", seconds.div_ceil(60)) } else { format!("{seconds} seconds") };
    format!("estimate: about {time}, {} of disk at most, {runs} runs", HumanBytes(disk_bytes))
}
