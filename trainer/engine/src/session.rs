//! One run of a plan: from the start or from a checkpoint, step by step to the end.

use crate::buffers::Buffers;
use crate::checkpoint::State;
use crate::checkpoints::{self, Checkpoints, Found};
use crate::control::Control;
use crate::counters::Counters;
use crate::data::{Dataset, PrefetchOptions, Prefetcher};
use crate::error::EngineError;
use crate::host::Stage;
use crate::observe::Recorder;
use crate::policies::Policies;
use crate::program::{Pass, Program};
use crate::progress::{Progress, StepReport};
use crate::shadow::Shadow;
use crate::state::{History, host_leaves, leaves, restore};
use crate::timing::Timing;
use contract::control::Point;
use library::context::Context;
use library::tensor::Tensor;
use plan::Recipe;
use std::sync::Arc;

/// Everything that a run owns.
pub struct Session<'a> {
    pub recipe: &'a Recipe,
    pub program: Program,
    pub buffers: Buffers,
    pub context: Context,
    pub recorder: Recorder,
    pub counters: Counters,
    pub timing: Timing,
    pub stage: Stage<'a>,
    pub control: &'a Control,
    pub policies: &'a Policies,
    pub dataset: Arc<Dataset>,
    pub checkpoints: Option<Checkpoints>,
    pub history: History,
    /// The plan in f64, when the request asks for it.
    pub shadow: Option<Shadow>,
    /// Next attempted step.
    pub step: u64,
    /// Data step of the next batch.
    pub data_step: u64,
    /// Last attempted step of this run, exclusive.
    pub end: u64,
}

impl Session<'_> {
    /// Fills the state: from the newest checkpoint when `resume` is set, otherwise from the seed.
    ///
    /// # Errors
    /// When a checkpoint is there and cannot be believed.
    pub fn begin(&mut self, resume: bool) -> Result<(), EngineError> {
        self.pass("tables", 1)?;
        let Some(loaded) = self.load(resume)? else { return self.pass("init", 1) };
        let restored = restore(&self.program.plan, &mut self.buffers, &loaded.leaves)?;
        self.dataset.verify(&restored.data)?;
        self.step = restored.step;
        self.data_step = self.policies.cursor.resume(self.dataset.place(restored.data.step)?);
        self.history = restored.history;
        if let Some(last) = self.step.checked_sub(1) {
            let leaves = self.leaves(self.data_step)?;
            self.recorder.state(
                last,
                "restored",
                leaves.iter().map(|(leaf, tensor)| (leaf.as_str(), tensor.view())),
            )?;
            self.recorder.end_step(last)?;
        }
        let point = Point::Loaded { step: loaded.pointer.step, manifest_digest: loaded.pointer.manifest_digest };
        self.control.announce(point, true)?;
        Ok(())
    }

    fn load(&mut self, resume: bool) -> Result<Option<Found>, EngineError> {
        let expected = self.leaves(0)?.into_iter().map(|(name, tensor)| (name, tensor.spec)).collect();
        match &mut self.checkpoints {
            Some(checkpoints) if resume => checkpoints.load(expected),
            _ => Ok(None),
        }
    }

    /// Runs every remaining step.
    ///
    /// # Errors
    /// Whatever stops a step; the newest checkpoint stays intact.
    pub fn steps(&mut self, progress: &mut dyn Progress) -> Result<(), EngineError> {
        let execution = &self.recipe.execution;
        let options =
            PrefetchOptions { depth: u64::from(execution.prefetch_depth), workers: execution.data_workers as usize };
        let mut prefetcher = Prefetcher::new(self.dataset.clone(), self.data_step, options)?;
        progress.begin(self.step, self.end);
        while self.step < self.end {
            let batch = prefetcher.next_batch()?;
            let tokens = batch.token_count;
            self.data_step = self.policies.cursor.save(prefetcher.progress());
            self.timing.step_begins(self.step);
            self.stage.begin(self.step, batch);
            self.buffers.begin_step();
            if let Some(shadow) = &mut self.shadow {
                shadow.begin_step(&self.program.plan);
            }
            self.pass("body", self.program.plan.template("body").map_or(0, |body| body.repeats))?;
            self.pass("reduce", 1)?;
            self.pass("optimizer", 1)?;
            let report = self.report(tokens)?;
            progress.tokens(tokens);
            self.step += 1;
            let done = self.step;
            let due = |every: u32| every > 0 && done.is_multiple_of(u64::from(every));
            let evaluation = if due(execution.eval_every) { self.evaluate()? } else { None };
            let report = StepReport { evaluation, ..report };
            if let Some(shadow) = &mut self.shadow {
                shadow.end_step(&self.program.plan, &report);
            }
            let state = self.record_state()?;
            self.timing.step_ends(self.step - 1);
            if due(execution.log_every) || self.step == self.end {
                self.counters.add("log_lines", 1);
                progress.step(&report);
            }
            self.control.announce(Point::StepEnd { step: self.step - 1 }, true)?;
            if let Some(checkpoints) = &mut self.checkpoints {
                checkpoints.step_ended(&state)?;
            }
            if let (true, Some(checkpoints)) = (due(execution.checkpoint.every), &mut self.checkpoints) {
                checkpoints.save(self.step, &state)?;
            }
        }
        self.counters.set("prefetch_depth", prefetcher.progress().depth);
        self.counters.set("data_workers", u64::from(execution.data_workers));
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.finish()?;
        }
        progress.end();
        Ok(())
    }

    /// Runs a template `repeats` times.
    pub(crate) fn pass(&mut self, name: &str, repeats: usize) -> Result<(), EngineError> {
        for repeat in 0..repeats {
            (self.stage.repeat, self.stage.repeats) = (repeat, repeats);
            let mut pass = Pass {
                buffers: &mut self.buffers,
                context: &self.context,
                recorder: &mut self.recorder,
                counters: &mut self.counters,
                shadow: self.shadow.as_mut(),
                step: self.step,
            };
            self.program.run(name, &mut pass, &mut self.stage)?;
            if name == "body" {
                self.counters.add("micro_batches", 1);
            }
        }
        Ok(())
    }

    /// A persistent fp32 value of the plan, if the part has it.
    fn scalars(&self, name: &str) -> Option<Vec<f32>> {
        let value = self.program.plan.find(name)?;
        Some(self.buffers.view(&self.program.plan, value).f32().to_vec())
    }

    /// Reads what the step reports, records it, and refuses a gradient that is not finite unless it was declared.
    fn report(&mut self, tokens: u64) -> Result<StepReport, EngineError> {
        let one = |name: &str, index: usize| self.scalars(name).map_or(0.0, |values| values[index]);
        let loss = [one("report", 0), one("report", 1), one("report", 2)];
        let (norm, learning_rate, scale) =
            (one("optimizer.norm", 0), one("optimizer.scalars", 0), one("optimizer/scale", 0));
        let skipped = self.nonfinite();
        if skipped && !self.recipe.semantics.may_overflow(self.step) {
            return Err(self.not_finite());
        }
        self.counters.add("steps", 1);
        self.counters.add("steps_skipped", u64::from(skipped));
        let buckets = self.recipe.execution.buckets;
        self.counters.add("buckets_reduced", u64::from(buckets));
        let named = [
            ("loss", loss[0]),
            ("lm_loss", loss[1]),
            ("z_loss", loss[2]),
            ("grad_norm", norm),
            ("learning_rate", learning_rate),
            ("next_loss_scale", scale),
        ];
        let recorded = self.program.plan.template("optimizer").is_some();
        let has_loss = self.program.plan.find("report").is_some();
        for (name, value) in named {
            let lossy = name.ends_with("loss");
            // The norm of a skipped step is not finite by design; that it was skipped is what counts.
            if recorded && (has_loss || !lossy) && !(skipped && name == "grad_norm") {
                self.recorder.scalar(self.step, "optimizer", name, value)?;
            }
        }
        if recorded {
            let detail = if skipped { "skipped" } else { "applied" };
            self.recorder.event(self.step, "optimizer", "step", detail)?;
        }
        self.history.add(self.step, named.map(|(_, value)| value.to_bits()));
        Ok(StepReport { step: self.step, loss, norm, learning_rate, scale, skipped, tokens, evaluation: None })
    }

    fn nonfinite(&self) -> bool {
        let value = self.program.plan.find("optimizer.nonfinite");
        value.is_some_and(|value| self.buffers.view(&self.program.plan, value).typed::<u32>()[0] != 0)
    }

    /// Names the first gradient that is not finite.
    fn not_finite(&self) -> EngineError {
        let plan = &self.program.plan;
        let bad = plan.values.iter().enumerate().filter(|(_, value)| value.name.starts_with("gradients/"));
        for (index, value) in bad {
            let view = self.buffers.view(plan, library::room::ValueId(index));
            if let Some(found) = view.f32().iter().find(|element| !element.is_finite()) {
                let found = if found.is_nan() { "NaN" } else { "Inf" };
                return EngineError::NotFinite { step: self.step, tensor: value.name.clone(), found };
            }
        }
        EngineError::NotFinite { step: self.step, tensor: "optimizer.norm".to_owned(), found: "Inf" }
    }

    fn evaluate(&mut self) -> Result<Option<f32>, EngineError> {
        let Some(template) = self.program.plan.template("evaluate") else { return Ok(None) };
        let repeats = template.repeats;
        self.pass("evaluate_prepare", 1)?;
        self.pass("evaluate", repeats)?;
        self.pass("evaluate_report", 1)?;
        self.stage.evaluations += 1;
        self.counters.add("evaluations", 1);
        let report = self.scalars("eval.report").expect("an evaluation has a report");
        self.recorder.scalar(self.step - 1, "eval", "eval_loss", report[0])?;
        self.recorder.scalar(self.step - 1, "eval", "eval_lm_loss", report[1])?;
        Ok(Some(report[1]))
    }

    /// Every leaf of the state of a run whose next data step is `data_step`.
    pub fn leaves(&self, data_step: u64) -> Result<Vec<(String, Tensor)>, EngineError> {
        let data = self.dataset.state(data_step)?;
        let plan = &self.program.plan;
        let host = host_leaves(plan, self.recipe.semantics.seed, self.step, &data, &self.history);
        Ok(leaves(plan, &self.buffers, host))
    }

    /// Records the state after a step, and returns it.
    fn record_state(&mut self) -> Result<State, EngineError> {
        let leaves = self.leaves(self.data_step)?;
        let step = self.step - 1;
        self.recorder.state(step, "state", leaves.iter().map(|(leaf, tensor)| (leaf.as_str(), tensor.view())))?;
        self.recorder.end_step(step)?;
        Ok(checkpoints::state(leaves))
    }
}
