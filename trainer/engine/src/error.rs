//! Everything that can end a run, with the exit code that says so.

use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum EngineError {
    #[error(transparent)]
    Recipe(#[from] plan::recipe::RecipeError),
    #[error(transparent)]
    Plan(#[from] plan::PlanError),
    #[error("the plan names variant `{variant}` of kernel `{kernel}`, which this binary does not have")]
    Variant { kernel: String, variant: String },
    #[error("`simd: {asked}` was asked for and this processor has {found}. Use `simd: auto`, or another machine.")]
    Simd { asked: String, found: String },
    #[error(transparent)]
    Data(#[from] crate::data::DataError),
    #[error(transparent)]
    Checkpoint(#[from] crate::checkpoint::CheckpointError),
    #[error(transparent)]
    Control(#[from] crate::control::ControlError),
    #[error(
        "cannot write the trace at {path}: {source}\n  do: free space there or choose another --run-dir; checkpoints are not touched"
    )]
    Trace { path: PathBuf, source: std::io::Error },
    #[error(
        "run directory {path} is not empty\n  expected: an empty or new directory\n  do: choose another --run-dir, or remove it"
    )]
    Occupied { path: PathBuf },
    #[error("cannot read the request {path}: {message}")]
    Request { path: PathBuf, message: String },
    #[error(
        "step {step}: `{tensor}` holds {found}\n  expected: finite values, since step {step} is not among optimizer.overflow_steps\n  state: nothing of this step was saved; the newest checkpoint is intact\n  do: look at the step with --observe op"
    )]
    NotFinite { step: u64, tensor: String, found: &'static str },
    #[error(
        "recipes {left} and {right} differ in more than profile and precision:{}\n  expected: two recipes that are equal in everything else of `semantics`\n  do: give both the same values, or use --align to take everything but profile and precision from {left}{}",
        lines(found),
        steps_hint(found)
    )]
    NotComparable { left: String, right: String, found: Vec<plan::comparable::Difference> },
    #[error("--steps {asked}: expected 1 to {most}, the attempted steps of the recipe")]
    Steps { asked: u64, most: u64 },
    #[error("part `{part}` has no plan that an f64 shadow could follow; expected `end_to_end` or a module")]
    Shadow { part: contract::request::Part },
    #[error("no kernel room is called `{room}`.{} Rooms: {known}", nearest.as_ref().map(|nearest| format!(" Did you mean `{nearest}`?")).unwrap_or_default())]
    Room { room: String, nearest: Option<String>, known: String },
    #[error(
        "the plan needs {bytes} bytes of memory, and this machine does not give them\n  do: lower execution.micro_batch_units, set execution.recompute to full, or make the model smaller"
    )]
    Memory { bytes: usize },
    #[error("case `{case}` of room `{room}`: {source}")]
    Case { room: String, case: String, source: library::room::RoomError },
    #[error("{path}: not every save is whole; the lines above name what is wrong")]
    Unsound { path: PathBuf },
    #[error("{path}: nothing whole can be loaded: {problem}")]
    NotLoadable { path: PathBuf, problem: String },
    #[error(
        "{path} holds no save\n  expected: a checkpoint directory, such as RUN_DIR/checkpoints, with a latest.json\n  do: check the path; a run saves every `execution.checkpoint.every` steps"
    )]
    NoSave { path: PathBuf },
    #[error("the checkpoint's leaf `{leaf}` is unusable: {message}")]
    Leaf { leaf: String, message: String },
}

/// One line for each difference.
fn lines(found: &[plan::comparable::Difference]) -> String {
    let line = |one: &plan::comparable::Difference| format!("\n  {}: {} and {}", one.key, one.left, one.right);
    found.iter().map(line).collect()
}

fn steps_hint(found: &[plan::comparable::Difference]) -> &'static str {
    if found.iter().any(|one| one.key == "semantics.steps") {
        ", or --steps to stop both after as many steps"
    } else {
        ""
    }
}

impl EngineError {
    #[must_use]
    pub fn trace(path: &Path, source: std::io::Error) -> Self {
        Self::Trace { path: path.to_owned(), source }
    }

    /// Exit code of `lockstep train`. Stable.
    /// The file, and the place in it, that a person must look at, where the error knows one.
    #[must_use]
    pub fn snippet(&self) -> Option<Snippet<'_>> {
        let Self::Recipe(plan::recipe::RecipeError::Parse { path, message, nearest, text, line, column }) = self else {
            return None;
        };
        let (line, column) = ((*line)?, (*column)?);
        Some(Snippet { path, text, line, column, message, nearest: nearest.as_deref() })
    }

    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Recipe(_) | Self::Plan(_) | Self::Request { .. } | Self::Room { .. } => 30,
            Self::Case { .. } | Self::Memory { .. } | Self::Shadow { .. } => 30,
            Self::NotComparable { .. } | Self::Steps { .. } => 30,
            Self::Data(_) => 31,
            Self::Checkpoint(_) | Self::Leaf { .. } | Self::Unsound { .. } => 32,
            Self::NotLoadable { .. } | Self::NoSave { .. } => 32,
            Self::Trace { .. } | Self::Occupied { .. } => 33,
            Self::NotFinite { .. } => 34,
            Self::Variant { .. } | Self::Simd { .. } => 35,
            Self::Control(_) => 36,
        }
    }
}

/// A place in a file. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snippet<'a> {
    pub path: &'a Path,
    pub text: &'a str,
    pub line: usize,
    pub column: usize,
    /// What is wrong there.
    pub message: &'a str,
    /// The known word nearest to what stands there.
    pub nearest: Option<&'a str>,
}

/// What each exit code of `lockstep train` means, for help texts.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "the run is complete"),
    (2, "the command line is not valid"),
    (30, "the recipe, the request or the plan is not valid"),
    (31, "the data cannot be had or is not that of the checkpoint"),
    (32, "a checkpoint cannot be written, read or believed"),
    (33, "the run directory cannot be used"),
    (34, "a tensor is not finite at a step that declares no overflow"),
    (35, "this binary or machine lacks a variant that was asked for"),
    (36, "the driver went away"),
];
