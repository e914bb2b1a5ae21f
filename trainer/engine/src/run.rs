//! From a request to a finished trace directory.

use crate::buffers::Buffers;
use crate::checkpoints::Checkpoints;
use crate::control::Control;
use crate::counters::Counters;
use crate::data::{DataSpec, Dataset, DocumentSlice, Row};
use crate::environment;
use crate::error::EngineError;
use crate::host::Stage;
use crate::observe::Recorder;
use crate::policies::Policies;
use crate::program::Program;
use crate::progress::Progress;
use crate::session::Session;
use crate::shadow::Shadow;
use crate::state::History;
use crate::timing::Timing;
use crate::{kernel_part, reference};
use contract::execution::Simd;
use contract::request::{Part, Request};
use library::context::{Context, Pool};
use library::room::Room;
use numerics::simd::Level;
use plan::{Plan, Recipe};
use std::path::Path;
use std::sync::Arc;

/// What a finished run says of itself.
#[derive(Clone, Debug)]
pub struct Finished {
    pub steps: u64,
    pub seconds: f64,
}

/// Makes the run of `request`; with `resume`, from the newest checkpoint if there is one.
///
/// # Errors
/// Everything that can stop a run. What was committed before stays intact.
pub fn run(
    request: &Request,
    resume: bool,
    policies: &Policies,
    progress: &mut dyn Progress,
) -> Result<Finished, EngineError> {
    let mut recipe = plan::recipe::load(&request.recipe)?;
    plan::recipe::set(&mut recipe, &request.set)?;
    recipe.execution = policies.step.execution(recipe.execution);
    if request.check {
        // One unit is enough for a reference, and an f64 reference is slow.
        recipe.execution.micro_batch_units = 1;
    }
    // Everything that can be refused is refused before the run directory is touched.
    let context = context(request, &recipe)?;
    let work = Work::plan(request, &recipe, policies)?;
    prepare(&request.run_directory)?;
    environment::write(request, &recipe)?;
    let control = Control::connect(request.control_socket.as_deref(), 0)?;
    let recorder = Recorder::create(&request.run_directory, request.observe.clone())?;
    let checkpoints = Checkpoints::open(request, &recipe, &control, policies)?;
    let job = Job { request, recipe: &recipe, policies, control: &control };
    match work {
        Work::Kernel(room) => kernel_part::run(&job, room, resume, context, recorder, checkpoints),
        Work::Plan(work) => run_plan(&job, *work, resume, context, recorder, checkpoints, progress),
    }
}

/// What a part runs, found and checked.
enum Work {
    Kernel(&'static dyn Room),
    Plan(Box<PlannedWork>),
}

struct PlannedWork {
    program: Program,
    dataset: Arc<Dataset>,
    held_out: Vec<Row>,
}

impl Work {
    fn plan(request: &Request, recipe: &Recipe, policies: &Policies) -> Result<Self, EngineError> {
        if let Part::Kernel(room) = &request.part {
            if request.shadow {
                return Err(EngineError::Shadow { part: request.part.clone() });
            }
            return Ok(Self::Kernel(kernel_part::find(&policies.registry, room)?));
        }
        let plan = plan::assemble(recipe, &request.part, &policies.registry, &policies.mutations)?;
        if !Buffers::can_allocate(&plan) {
            return Err(EngineError::Memory { bytes: plan.peak_bytes() });
        }
        let dataset = Arc::new(Dataset::open(&data_spec(recipe))?);
        let held_out = held_out(&dataset, recipe, &plan)?;
        Ok(Self::Plan(Box::new(PlannedWork { program: Program::bind(plan, &policies.registry)?, dataset, held_out })))
    }
}

/// What every part of a run needs.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub request: &'a Request,
    pub recipe: &'a Recipe,
    pub policies: &'a Policies,
    pub control: &'a Control,
}

fn run_plan(
    job: &Job<'_>,
    work: PlannedWork,
    resume: bool,
    context: Context,
    recorder: Recorder,
    checkpoints: Option<Checkpoints>,
    progress: &mut dyn Progress,
) -> Result<Finished, EngineError> {
    let Job { request, recipe, policies, control } = *job;
    let PlannedWork { program, dataset, held_out } = work;
    let plan = &program.plan;
    let end = request.stop_after.map_or(plan.steps, |last| plan.steps.min(last + 1));
    let perturbation = request.perturbation;
    let scatter = perturbation.map_or(0, |perturbation| perturbation.seed | 1);
    let buffers = Buffers::allocate(plan, perturbation.map(|perturbation| perturbation.poison), scatter);
    let planned = plan.peak_bytes();
    let shadow = request.shadow.then(|| Shadow::new(plan, &policies.registry));
    let mut session = Session {
        recipe,
        program,
        buffers,
        context,
        recorder,
        counters: Counters::default(),
        timing: Timing::create(&request.run_directory),
        stage: Stage::new(&recipe.semantics, control, policies.step.as_ref(), held_out),
        control,
        policies,
        dataset,
        checkpoints,
        history: History::default(),
        shadow,
        step: 0,
        data_step: 0,
        end,
    };
    session.counters.set("planned_bytes", planned as u64);
    session.counters.set("used_bytes", session.buffers.bytes() as u64);
    session.begin(resume)?;
    if request.check {
        reference::check(&mut session)?;
    } else {
        session.steps(progress)?;
    }
    let leaves = session.leaves(session.data_step)?;
    crate::checkpoints::write_final(request, recipe, session.step, leaves)?;
    session.counters.set("poisoned_bytes", session.buffers.poisoned_bytes());
    session.counters.set("allocations_scattered", session.buffers.scattered());
    let Session { mut counters, recorder, context, shadow, checkpoints, timing, step, .. } = session;
    count_context(&mut counters, &context);
    if let Some(checkpoints) = checkpoints {
        checkpoints.count(&mut counters);
    }
    counters.set("records", recorder.records());
    (policies.count)(&mut counters);
    recorder.finish(step)?;
    if let Some(shadow) = shadow {
        shadow.write(&request.run_directory)?;
    }
    environment::write_counters(request, &counters)?;
    Ok(Finished { steps: step, seconds: timing.seconds() })
}

/// Adds what the executor did.
pub fn count_context(counters: &mut Counters, context: &Context) {
    let pool = context.pool.counters();
    counters.set("threads", context.pool.threads() as u64);
    counters.set("tasks", pool.tasks);
    counters.set("tasks_reordered", pool.tasks_reordered);
    counters.set("delays_injected", pool.delays_injected);
    let bits = match context.level {
        Level::Scalar => 32,
        Level::Avx2 => 256,
        Level::Avx512 => 512,
    };
    counters.set("simd_bits", bits);
}

fn prepare(directory: &Path) -> Result<(), EngineError> {
    std::fs::create_dir_all(directory).map_err(|source| EngineError::trace(directory, source))?;
    let mut entries = std::fs::read_dir(directory).map_err(|source| EngineError::trace(directory, source))?;
    // The driver puts the request, the logs of the child and the checkpoints there before the run starts.
    let known = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("request") || name.starts_with("std") || name == "checkpoints"
    };
    if entries.any(|entry| entry.is_ok_and(|entry| !known(&entry.file_name()))) {
        return Err(EngineError::Occupied { path: directory.to_owned() });
    }
    Ok(())
}

fn context(request: &Request, recipe: &Recipe) -> Result<Context, EngineError> {
    let asked = match recipe.execution.simd {
        Simd::Auto => Level::detect(),
        Simd::Scalar => Level::Scalar,
        Simd::Avx2 => Level::Avx2,
        Simd::Avx512 => Level::Avx512,
    };
    if !Level::available().contains(&asked) {
        let found = Level::available().iter().map(|level| level.name()).collect::<Vec<_>>().join(", ");
        return Err(EngineError::Simd { asked: asked.name().to_owned(), found });
    }
    let threads = match request.perturbation {
        Some(perturbation) if perturbation.threads > 0 => perturbation.threads,
        _ => recipe.execution.threads,
    };
    let pool = Pool::new(threads as usize, request.perturbation.map(|perturbation| perturbation.seed));
    Ok(Context { pool, level: asked })
}

/// The training data of a recipe.
#[must_use]
pub fn data_spec(recipe: &Recipe) -> DataSpec {
    let semantics = &recipe.semantics;
    let data = &semantics.data;
    DataSpec {
        corpus: data.corpus.clone(),
        tokenizer: data.tokenizer.clone(),
        vocabulary: semantics.model.vocabulary,
        documents: DocumentSlice {
            first: data.first_document,
            count: (data.documents > 0).then_some(data.documents),
            bytes: None,
        },
        row_tokens: data.row_tokens,
        rows_per_step: semantics.units() * data.rows_per_unit,
        leaves: data.leaves,
        seed: semantics.seed,
    }
}

/// Held-out rows in the order of their units, leaf after leaf; none when the plan evaluates nothing.
///
/// # Errors
/// When the corpus cannot be had.
pub fn held_out(dataset: &Dataset, recipe: &Recipe, plan: &Plan) -> Result<Vec<Row>, EngineError> {
    if plan.template("evaluate").is_none() {
        return Ok(Vec::new());
    }
    let evaluation = &recipe.semantics.evaluation;
    let row_tokens = recipe.semantics.data.row_tokens;
    let documents = DocumentSlice { first: 0, count: None, bytes: Some(evaluation.rows * row_tokens * 8) };
    let batches = dataset.beside(&evaluation.corpus, documents)?.evaluation(evaluation.rows * row_tokens)?;
    let mut rows: Vec<Row> = batches.into_iter().flat_map(|batch| batch.rows).collect();
    rows.sort_by_key(|row| row.id);
    rows.truncate(evaluation.rows);
    Ok(rows)
}
