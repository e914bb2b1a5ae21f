//! Makes the two runs: each in a fresh trainer process, both at the same time.

use super::PrecisionError;
use crate::control::{Answer, Conduct, Offer};
use crate::runner::{RunOutput, RunSpec, Runner};
use contract::control::Point;
use contract::execution::{Observe, ObserveLevel};
use contract::request::Part;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::path::Path;

/// One recipe of a comparison.
#[derive(Clone, Debug)]
pub struct Side {
    pub name: String,
    /// Name or path for the trainer.
    pub recipe: String,
    pub recipe_digest: String,
    /// Profile and precision in words.
    pub precision: String,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub sides: [Side; 2],
    pub steps: u64,
    /// Overrides of `execution`, for both.
    pub set: BTreeMap<String, serde_json::Value>,
    /// Show progress on standard error.
    pub progress: bool,
}

/// Folders of the two runs, in the folder of the report.
const FOLDERS: [&str; 2] = ["first", "second"];

pub fn make(runner: &Runner, comparison: &Comparison, out: &Path) -> Result<[RunOutput; 2], PrecisionError> {
    let target = if comparison.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bars = MultiProgress::with_draw_target(target);
    let run = |index: usize| {
        let Side { name, recipe, .. } = &comparison.sides[index];
        let bar = bars.add(ProgressBar::new(comparison.steps));
        bar.set_style(
            ProgressStyle::with_template("{bar:30} step {pos}/{len} · {msg} · {elapsed}").expect("a constant"),
        );
        bar.set_message(name.clone());
        let spec = RunSpec {
            set: comparison.set.clone(),
            observe: Observe { level: ObserveLevel::Op, steps: None },
            stop_after: Some(comparison.steps - 1),
            shadow: true,
            ..RunSpec::new(recipe, Part::EndToEnd, &out.join(FOLDERS[index]))
        };
        let mut go_on = |offer: &Offer<'_>| {
            if let Point::StepEnd { step } = offer.announcement.point {
                bar.set_position(step + 1);
            }
            Answer::Go
        };
        let made = runner.attempt(&spec, Conduct::Decide(&mut go_on)).and_then(RunOutput::succeeded);
        bar.finish_and_clear();
        made.map_err(|source| PrecisionError::Run { name: name.clone(), source })
    };
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| run(1));
        (run(0), second.join().expect("a run is an error or a result"))
    });
    Ok([first?, second?])
}
