//! A kernel part: every case of one room on one variant, then the room's walk if it has state.
//!
//! Each case is a step. Where `execution.fuse` is off, a fused kernel's cases run as the composition that the fusion
//! replaces, so that the two can be compared.

use crate::checkpoints::Checkpoints;
use crate::counters::Counters;
use crate::environment;
use crate::error::EngineError;
use crate::observe::{Recorder, tensor_record};
use crate::run::{Finished, Job, count_context};
use crate::timing::Timing;
use contract::control::Point;
use contract::execution::Variants;
use contract::recipe::nearest;
use contract::record::Role;
use library::case::{Case, Walk};
use library::check;
use library::context::Context;
use library::eager;
use library::registry::Registry;
use library::room::{Kernel, Room, Variant};
use library::tensor::{Dtype, Spec, Tensor};

/// Byte that outputs start as when the run is not perturbed.
const PLAIN_FILL: u8 = 0;

/// The room of a kernel part.
///
/// # Errors
/// When there is no such room; the error names the nearest.
pub fn find(registry: &Registry, room: &str) -> Result<&'static dyn Room, EngineError> {
    let names: Vec<&str> = registry.rooms().iter().map(|room| room.name()).collect();
    registry.room(room).ok_or_else(|| EngineError::Room {
        room: room.to_owned(),
        nearest: nearest(room, names.iter().copied()).map(str::to_owned),
        known: names.join(", "),
    })
}

/// Runs the part.
///
/// # Errors
/// When a case is refused.
pub fn run(
    job: &Job<'_>,
    room: &'static dyn Room,
    resume: bool,
    context: Context,
    recorder: Recorder,
    checkpoints: Option<Checkpoints>,
) -> Result<Finished, EngineError> {
    let timing = Timing::create(&job.request.run_directory);
    let fill = job.request.perturbation.map_or(PLAIN_FILL, |perturbation| perturbation.poison);
    let mut runner = Runner { job, room, context, recorder, counters: Counters::default(), fill };
    let cases = room.cases();
    let first = cases.len() as u64;
    let end = job.request.stop_after.map_or(u64::MAX, |last| last + 1);
    let mut steps = first.min(end);
    match room.walk() {
        Some(walk) if !job.request.check => steps = runner.walk(&walk, &cases, resume, checkpoints, end)?,
        _ => runner.cases(&cases, end)?,
    }
    let Runner { context, recorder, mut counters, .. } = runner;
    count_context(&mut counters, &context);
    counters.set("records", recorder.records());
    (job.policies.count)(&mut counters);
    recorder.finish(steps)?;
    environment::write_counters(job.request, &counters)?;
    Ok(Finished { steps, seconds: timing.seconds() })
}

struct Runner<'a> {
    job: &'a Job<'a>,
    room: &'static dyn Room,
    context: Context,
    recorder: Recorder,
    counters: Counters,
    fill: u8,
}

impl Runner<'_> {
    fn cases(&mut self, cases: &[Case], end: u64) -> Result<(), EngineError> {
        for (step, case) in (0..end).zip(cases) {
            if self.job.request.check {
                self.check(step, case)?;
            } else {
                self.case(step, case)?;
            }
            self.recorder.end_step(step)?;
        }
        Ok(())
    }

    fn failed(&self, case: &str) -> impl Fn(library::room::RoomError) -> EngineError + use<> {
        let (room, case) = (self.room.name().to_owned(), case.to_owned());
        move |source| EngineError::Case { room: room.clone(), case: case.clone(), source }
    }

    /// The kernel and the variant that execution and mutations choose.
    fn choose(&self, kernel: &str) -> Result<(&'static Kernel, Variant), EngineError> {
        let policies = self.job.policies;
        let kernel = policies.registry.kernel(kernel).expect("a case names a kernel of its room");
        let planted = policies.mutations.variants.iter().find(|(name, _)| name == kernel.name);
        let name = match (planted, self.job.recipe.execution.variants) {
            (Some((_, variant)), _) => variant.as_str(),
            (None, Variants::Reference) => kernel.reference().name,
            (None, Variants::Fast) => kernel.fastest().name,
        };
        let variant = policies.registry.variant(kernel.name, name);
        let missing = || EngineError::Variant { kernel: kernel.name.to_owned(), variant: name.to_owned() };
        Ok((kernel, variant.ok_or_else(missing)?))
    }

    /// Moves what is allocated next by a seeded number of bytes.
    fn scatter(&mut self) -> Option<Vec<u8>> {
        let perturbation = self.job.request.perturbation?;
        self.counters.add("allocations_scattered", 1);
        let size = perturbation.seed.rotate_left((self.counters.get("allocations_scattered") % 64) as u32) % 4096;
        Some(Vec::with_capacity(64 + size as usize))
    }

    fn execute(&mut self, case: &Case) -> Result<(&'static Kernel, Variant, Vec<Tensor>), EngineError> {
        let _ballast = self.scatter();
        let (kernel, variant) = self.choose(case.kernel)?;
        let fusion = self.room.fusion().filter(|fusion| fusion.kernel == kernel.name);
        let failed = self.failed(&case.name);
        let mut outputs = match fusion {
            Some(fusion) if !self.job.recipe.execution.fuse => {
                self.counters.add("compositions", 1);
                check::composition(&self.job.policies.registry, &fusion, case, &self.context).map_err(failed)?
            }
            _ => {
                self.counters.add("fused_calls", u64::from(fusion.is_some()));
                eager::run(kernel, &variant, &case.attributes, &case.inputs, self.fill, &self.context)
                    .map_err(failed)?
            }
        };
        self.counters.add("calls", 1);
        self.counters.add("reference_calls", u64::from(variant.name == library::room::REFERENCE));
        let poisoned: usize = outputs.iter().skip(kernel.in_place).map(|tensor| tensor.spec.bytes()).sum();
        self.counters.add("poisoned_bytes", if self.fill == PLAIN_FILL { 0 } else { poisoned as u64 });
        if let Some((planted, output)) = &self.job.policies.mutations.flip
            && planted == kernel.name
            && let Some(byte) = outputs.get_mut(*output).and_then(|tensor| tensor.bytes_mut().first_mut())
        {
            *byte ^= 1;
            self.counters.add("flips", 1);
        }
        Ok((kernel, variant, outputs))
    }

    fn case(&mut self, step: u64, case: &Case) -> Result<(), EngineError> {
        let (kernel, variant, outputs) = self.execute(case)?;
        let mut operands = Vec::new();
        for (index, tensor) in case.inputs.iter().enumerate() {
            let in_place = index.checked_sub(case.inputs.len() - kernel.in_place);
            let name = match in_place {
                Some(output) => kernel.outputs[output],
                None => kernel.inputs[index.min(kernel.inputs.len() - 1)],
            };
            operands.push((Role::In, name, tensor));
        }
        for (index, tensor) in outputs.iter().enumerate() {
            operands.push((Role::Out, kernel.outputs[index.min(kernel.outputs.len() - 1)], tensor));
        }
        let node = format!("{}/{}", self.room.name(), case.name);
        for (role, name, tensor) in operands {
            let record = tensor_record(&node, kernel.name, kernel.contract, variant.name, name, role, tensor);
            self.recorder.operand(step, &case.name, record, tensor.bytes())?;
        }
        let leaves: Vec<String> = (0..outputs.len())
            .map(|index| format!("{}/{}", case.name, kernel.outputs[index.min(kernel.outputs.len() - 1)]))
            .collect();
        let pairs = leaves.iter().map(String::as_str).zip(outputs.iter().map(Tensor::view));
        self.recorder.state(step, "state", pairs)
    }

    /// Compares outputs and gradients with the room's oracle.
    fn check(&mut self, step: u64, case: &Case) -> Result<(), EngineError> {
        let (kernel, variant) = self.choose(case.kernel)?;
        let Some(oracle) = self.room.oracle(kernel.name).filter(|_| !case.bits_only) else { return Ok(()) };
        let failed = self.failed(&case.name);
        let registry = &self.job.policies.registry;
        let mut checked = check::outputs(kernel, &variant, &oracle, case, &self.context).map_err(&failed)?;
        checked.extend(check::gradients(registry, self.room, case, variant.name, &self.context).map_err(&failed)?);
        // An empty case has nothing to compare with; its bits are compared all the same.
        for checked in checked.into_iter().filter(|checked| checked.elements > 0) {
            let name = format!("{}.{}", kernel.name, checked.tensor);
            self.recorder.check(step, &case.name, name, (checked.elements, checked.worst_thousandths))?;
        }
        Ok(())
    }

    /// Cases, then the steps of the walk, saved after each one.
    fn walk(
        &mut self,
        walk: &Walk,
        cases: &[Case],
        resume: bool,
        mut checkpoints: Option<Checkpoints>,
        end: u64,
    ) -> Result<u64, EngineError> {
        let first = cases.len() as u64;
        let (names, mut state): (Vec<&str>, Vec<Tensor>) = (walk.initial)().into_iter().unzip();
        let mut step = first;
        let mut loaded = false;
        if let (true, Some(checkpoints)) = (resume, &mut checkpoints) {
            let expected =
                Self::leaves(&names, &state, 0).into_iter().map(|(name, tensor)| (name, tensor.spec)).collect();
            if let Some(found) = checkpoints.load(expected)? {
                let leaf = |name: &str| {
                    let tensor = found.leaves.iter().find(|(leaf, _)| leaf == name).map(|(_, tensor)| tensor.clone());
                    tensor
                        .ok_or_else(|| EngineError::Leaf { leaf: name.to_owned(), message: "it is missing".to_owned() })
                };
                state = names.iter().map(|name| leaf(&format!("optimizer/{name}"))).collect::<Result<_, _>>()?;
                step = leaf("rng/step")?.view().typed::<u64>()[0];
                self.record(&names, &state, step, "restored")?;
                loaded = true;
                let digest = found.pointer.manifest_digest;
                self.job.control.announce(Point::Loaded { step: found.pointer.step, manifest_digest: digest }, true)?;
            }
        }
        if !loaded {
            self.cases(cases, end)?;
        }
        let last = (first + walk.steps).min(end);
        while step < last {
            let at = step - first;
            let (attributes, inputs) = (walk.operands)(at, &state);
            let case = Case::new(format!("walk_{at}"), walk.kernel, "state that is not carried on", attributes, inputs);
            let (_, _, outputs) = self.execute(&case)?;
            state = (walk.advance)(at, state, outputs);
            step += 1;
            self.record(&names, &state, step, "state")?;
            self.job.control.announce(Point::StepEnd { step: step - 1 }, true)?;
            if let (true, Some(checkpoints)) = (self.job.recipe.execution.checkpoint.every > 0, &mut checkpoints) {
                checkpoints.save(step, &crate::checkpoints::state(Self::leaves(&names, &state, step)))?;
            }
        }
        if let Some(checkpoints) = &mut checkpoints {
            checkpoints.finish()?;
            checkpoints.count(&mut self.counters);
        }
        Ok(step)
    }

    fn leaves(names: &[&str], state: &[Tensor], step: u64) -> Vec<(String, Tensor)> {
        let mut leaves: Vec<_> =
            names.iter().zip(state).map(|(name, tensor)| (format!("optimizer/{name}"), tensor.clone())).collect();
        let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[1]), bytemuck::cast_slice(&[step]));
        leaves.push(("rng/step".to_owned(), position));
        leaves
    }

    fn record(&mut self, names: &[&str], state: &[Tensor], step: u64, phase: &str) -> Result<(), EngineError> {
        let leaves = Self::leaves(names, state, step);
        let pairs = leaves.iter().map(|(leaf, tensor)| (leaf.as_str(), tensor.view()));
        self.recorder.state(step - 1, phase, pairs)?;
        self.recorder.end_step(step - 1)
    }
}
