//! Folds events into a report.

use super::event::{Event, Reporter};
use super::model::{KillCounts, Report};
use contract::verdict::Verdict;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A reporter whose report others can read. Clones share it.
#[derive(Clone, Debug)]
pub struct Collector {
    report: Arc<Mutex<Report>>,
}

impl Collector {
    #[must_use]
    pub fn new(seed: u64, runs: &Path) -> Self {
        Self { report: Arc::new(Mutex::new(Report::empty(seed, runs.to_owned()))) }
    }

    /// The report of everything so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        conclude(&mut report);
        report
    }
}

impl Reporter for Collector {
    fn event(&mut self, event: &Event) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started { seed, recipes, .. } => {
                report.seed = *seed;
                report.recipes.clone_from(recipes);
            }
            Event::NotCompared(left_out) => report.not_compared.push(left_out.clone()),
            Event::TrialFinished(trial) => {
                report.environment.extend(trial.environment.clone());
                report.trials.push((**trial).clone());
            }
            Event::TrialStarted { .. } | Event::Progress { .. } | Event::Finished(_) => {}
        }
    }
}

/// Trials finish in any order; the report has one order.
fn conclude(report: &mut Report) {
    report.trials.sort_by(|a, b| a.trial.cmp(&b.trial));
    report.verdict = Verdict::worst(report.trials.iter().map(|trial| trial.outcome.verdict));
    report.exit_code = report.verdict.exit_code();
    report.sentence = report.verdict.sentence().to_owned();
    report.kill_points = report.trials.iter().fold(KillCounts::default(), |sum, trial| sum.plus(trial.kill_points));
    for recipe in &mut report.recipes {
        let of_recipe = report.trials.iter().filter(|trial| trial.recipe == recipe.name);
        recipe.verdict = Some(Verdict::worst(of_recipe.map(|trial| trial.outcome.verdict)));
    }
}
