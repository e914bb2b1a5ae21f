//! `lockstep train`: for people with flags, for the driver with a request file.

use super::curve::Curve;
use crate::checkpoints::select;
use crate::error::EngineError;
use crate::policies::Policies;
use crate::progress::{Progress, Quiet, StepReport};
use crate::run;
use crate::timing::now_ns;
use clap::Args;
use contract::SCHEMA;
use contract::execution::{Observe, ObserveLevel};
use contract::request::{Part, Request, StorageRequest};
use indicatif::{ProgressBar, ProgressStyle};
use plan::recipe::RecipeError;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Train a recipe.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  lockstep train --recipe dense-ieee
  lockstep train --recipe dense-text --run-dir runs/one
  lockstep train --recipe dense-text --run-dir runs/two --checkpoint-dir runs/one/checkpoints --resume
  lockstep train --recipe dense-text --run-dir runs/three --checkpoint-dir runs/one/checkpoints --resume --from step-00000100
  lockstep train --recipe dense-ieee --set threads=1 --set checkpoint.every=2 --observe op

Exit codes: 0 complete, 2 command line, 30 recipe or request, 31 data, 32 checkpoint, 33 run directory,
34 not finite, 35 variant absent, 36 driver gone.")]
pub struct TrainCommand {
    /// Name of a recipe, or path of a YAML file.
    #[arg(long, required_unless_present = "request")]
    recipe: Option<String>,
    /// Trace directory to create; default: target/lockstep/train/RECIPE-TIME.
    #[arg(long)]
    run_dir: Option<PathBuf>,
    /// Where checkpoints are; default: RUN_DIR/checkpoints.
    #[arg(long)]
    checkpoint_dir: Option<PathBuf>,
    /// Go on from the newest checkpoint.
    #[arg(long)]
    resume: bool,
    /// Go on from this complete save, such as step-00000008, and not from the newest; newer ones are given up.
    #[arg(long, value_name = "SAVE", requires = "resume")]
    from: Option<String>,
    /// Override a key of `execution`: KEY=VALUE, repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What to record.
    #[arg(long, value_enum, default_value = "step")]
    observe: ObserveLevel,
    /// A part of the recipe: end_to_end, module/NAME or kernel/ROOM.
    #[arg(long, default_value = "end_to_end")]
    part: Part,
    /// End after this step.
    #[arg(long)]
    stop_after: Option<u64>,
    /// A request file of the driver; replaces every other option but --resume.
    #[arg(long, conflicts_with_all = ["recipe", "run_dir", "checkpoint_dir", "from", "set", "stop_after"])]
    request: Option<PathBuf>,
}

impl TrainCommand {
    /// Runs to the end of the recipe.
    ///
    /// # Errors
    /// Everything that can stop a run.
    pub fn run(&self, policies: &Policies) -> Result<(), EngineError> {
        if let Some(path) = &self.request {
            let request = read_request(path)?;
            run::run(&request, self.resume, policies, &mut Quiet)?;
            return Ok(());
        }
        let request = self.request()?;
        if let (Some(save), Some(checkpoints)) = (&self.from, &request.checkpoint_directory) {
            select(checkpoints, save, &request.run_directory)?;
        }
        let mut story = Story::new(&request);
        let finished = run::run(&request, self.resume, policies, &mut story)?;
        story.curve.write(&request.run_directory)?;
        let (steps, seconds) = (finished.steps, finished.seconds);
        println!("{steps} steps in {seconds:.1} s; trace, loss curve and state: {}", request.run_directory.display());
        Ok(())
    }

    fn request(&self) -> Result<Request, EngineError> {
        let recipe = self.recipe.clone().expect("clap requires it without a request");
        let stem = Path::new(&recipe).file_stem().map_or_else(|| recipe.clone(), |stem| stem.to_string_lossy().into());
        let run_directory = absolute(match &self.run_dir {
            Some(directory) => directory.clone(),
            None => PathBuf::from(format!("target/lockstep/train/{stem}-{}", now_ns())),
        })?;
        let checkpoint_directory = match &self.checkpoint_dir {
            Some(directory) => absolute(directory.clone())?,
            None => run_directory.join("checkpoints"),
        };
        let set = overrides(&self.set)?;
        Ok(Request {
            schema: SCHEMA,
            recipe,
            part: self.part.clone(),
            run_directory,
            checkpoint_directory: Some(checkpoint_directory),
            set,
            observe: Observe { level: self.observe, steps: None },
            perturbation: None,
            control_socket: None,
            storage: StorageRequest::default(),
            stop_after: self.stop_after,
            check: false,
            shadow: false,
            nonce: format!("{:016x}", now_ns()),
        })
    }
}

/// `KEY=VALUE` pairs of the command line; a value that is no JSON is a string.
///
/// # Errors
/// When a pair has no `=`.
pub(super) fn overrides(pairs: &[String]) -> Result<BTreeMap<String, serde_json::Value>, EngineError> {
    let mut set = BTreeMap::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            let message = "there is no `=`; expected KEY=VALUE, as in --set threads=1".to_owned();
            return Err(RecipeError::Set { key: pair.clone(), message, nearest: None }.into());
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        set.insert(key.to_owned(), value);
    }
    Ok(set)
}

fn absolute(path: PathBuf) -> Result<PathBuf, EngineError> {
    std::path::absolute(&path).map_err(|source| EngineError::trace(&path, source))
}

fn read_request(path: &Path) -> Result<Request, EngineError> {
    let failed = |message: String| EngineError::Request { path: path.to_owned(), message };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    // The schema comes first: a newer one may have keys that are unknown here.
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(found) => {
            return Err(failed(format!(
                "schema {found} is unknown; expected {SCHEMA}\n  do: use a trainer and a suite of the same version"
            )));
        }
        None => return Err(failed(format!("it has no `schema`; expected {SCHEMA}"))),
    }
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

/// Progress for people: a bar on a terminal, one line a report elsewhere.
struct Story {
    bar: Option<ProgressBar>,
    curve: Curve,
    tokens: u64,
    reported: std::time::Duration,
    start: crate::timing::Stopwatch,
}

impl Story {
    fn new(request: &Request) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(0));
        let curve = Curve::new(&request.recipe);
        Self { bar, curve, tokens: 0, reported: Duration::ZERO, start: crate::timing::Stopwatch::start() }
    }
}

impl Progress for Story {
    fn begin(&mut self, first: u64, end: u64) {
        if let Some(bar) = &self.bar {
            let style = ProgressStyle::with_template("{bar:30} step {pos}/{len} · {msg} · {eta} left");
            bar.set_style(style.expect("the template is a constant"));
            bar.set_length(end);
            bar.set_position(first);
        }
        self.start = crate::timing::Stopwatch::start();
    }

    fn tokens(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    fn step(&mut self, report: &StepReport) {
        let elapsed = self.start.elapsed();
        let rate = self.tokens as f64 / (elapsed - self.reported).as_secs_f64().max(1e-9);
        (self.tokens, self.reported) = (0, elapsed);
        self.curve.add(report);
        let evaluation = report.evaluation.map(|loss| format!(" · held-out {loss:.4}")).unwrap_or_default();
        let skipped = if report.skipped { " · skipped: gradients not finite" } else { "" };
        let line = format!(
            "loss {:.4} (lm {:.4}) · grad norm {:.3} · lr {:.2e} · {rate:.0} tokens/s{evaluation}{skipped}",
            report.loss[0], report.loss[1], report.norm, report.learning_rate,
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position(report.step + 1);
                bar.set_message(line);
            }
            None => println!("step {} · {line}", report.step),
        }
    }

    fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}
