//! Runs a trainer through its adapter file.
//!
//! A run has a folder of its own: `request.json`, `stdout.log`, `stderr.log` and the trace directory `trace`. It is
//! believed only when its process ended as it should and its `run.json` repeats the nonce that was drawn for it.
//! Nothing here looks at a trace's records.

mod error;
mod output;
mod spec;

pub use error::RunError;
pub use output::RunOutput;
pub use spec::{RunSpec, Start};

use crate::control::{Conduct, Event, Server, talk};
use crate::nonce;
use crate::process::{Child, Ending, Launch, tail};
use contract::SCHEMA;
use contract::adapter::{Adapter, CommandKind, Values};
use contract::description::Description;
use contract::pointer::{LATEST, LOADED, Pointer};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Bytes of standard error that a message shows.
const TAIL: u64 = 2000;

/// A trainer that can be asked and run.
#[derive(Clone, Debug)]
pub struct Runner {
    adapter: Adapter,
    /// Longest time of a run whose spec names none, and of a question.
    pub timeout: Duration,
}

impl Runner {
    #[must_use]
    pub fn new(mut adapter: Adapter, timeout: Duration) -> Self {
        // A command runs in the folder of its run, so paths relative to this process would mean something else.
        for path in [&mut adapter.directory, &mut adapter.trainer] {
            if let Ok(absolute) = std::path::absolute(&*path) {
                *path = absolute;
            }
        }
        Self { adapter, timeout }
    }

    #[must_use]
    pub const fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Names of the known recipes.
    ///
    /// # Errors
    /// When the command cannot be run or fails.
    pub fn recipes(&self) -> Result<Vec<String>, RunError> {
        let answer = self.ask(CommandKind::Recipes, &Values::default())?;
        Ok(answer.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    /// What the trainer says of a recipe.
    ///
    /// # Errors
    /// When the command cannot be run, fails, or prints something else than a description.
    pub fn describe(&self, recipe: &str) -> Result<Description, RunError> {
        let answer = self.ask(CommandKind::Describe, &Values { recipe: &absolute(recipe), ..Values::default() })?;
        let broken = |message: String| RunError::Answer { command: "describe", message };
        let description: Description = serde_json::from_str(&answer).map_err(|error| broken(error.to_string()))?;
        if description.schema != SCHEMA {
            return Err(broken(format!("schema {} is unknown; this suite knows {SCHEMA}", description.schema)));
        }
        Ok(description)
    }

    /// The plan of a recipe, for people.
    ///
    /// # Errors
    /// When the command cannot be run or fails.
    pub fn plan(&self, recipe: &str) -> Result<String, RunError> {
        self.ask(CommandKind::Plan, &Values { recipe: &absolute(recipe), ..Values::default() })
    }

    /// Lets the trainer load and verify the newest checkpoint of a folder.
    ///
    /// # Errors
    /// When the command cannot be run, finds the checkpoint bad, or prints something else than a pointer.
    pub fn verify(&self, checkpoints: &Path) -> Result<Pointer, RunError> {
        let values = Values { checkpoints: Some(checkpoints), ..Values::default() };
        let answer = self.ask(CommandKind::Verify, &values)?;
        serde_json::from_str(&answer)
            .map_err(|error| RunError::Answer { command: "verify", message: error.to_string() })
    }

    /// Identifies a run among those that may be shared: the trainer and the request without paths and nonce.
    #[must_use]
    pub fn key(&self, spec: &RunSpec) -> String {
        let mut request = spec.request(String::new(), None);
        request.recipe = absolute(&request.recipe);
        request.run_directory = "run".into();
        request.checkpoint_directory = request.checkpoint_directory.map(|_| "checkpoints".into());
        let value = serde_json::json!({
            "adapter": self.adapter,
            "folder": self.adapter.directory,
            "trainer": self.adapter.trainer,
            "start": spec.start,
            "request": request,
        });
        contract::canonical::digest(&value)[..32].to_owned()
    }

    /// Makes an uninterrupted run.
    ///
    /// # Errors
    /// When it cannot be started, fails, takes too long, or does not prove that it is the run that was asked for.
    pub fn run(&self, spec: &RunSpec) -> Result<RunOutput, RunError> {
        self.attempt(spec, Conduct::LetRun)?.succeeded()
    }

    /// Makes a run and treats it as told. A run that was killed, or that ended with another code than 0, is returned
    /// as it is; see [`RunOutput::succeeded`].
    ///
    /// # Errors
    /// As [`Runner::run`], but for the way in which the process ended.
    #[expect(clippy::disallowed_methods, reason = "says when a run began and how long it took")]
    pub fn attempt(&self, spec: &RunSpec, conduct: Conduct<'_>) -> Result<RunOutput, RunError> {
        let nonce = nonce::draw();
        let latest_before = self.prepare(spec)?;
        let (sender, events) = channel();
        let server = match conduct {
            Conduct::Decide(_) => Some(Server::listen(sender.clone()).map_err(RunError::Socket)?),
            Conduct::LetRun | Conduct::KillAfter(_) => None,
        };
        let launch = self.launch(spec, &nonce, server.as_ref().map(Server::path))?;
        let (started, clock) = (now_ns(), Instant::now());
        let start = |source| RunError::Start { command: launch.command.clone(), source };
        // Nobody hears the end of a run that could not be accompanied.
        let mut child = Child::start(&launch, move || drop(sender.send(Event::Ended))).map_err(start)?;
        let pid = child.pid();
        let timeout = spec.timeout.unwrap_or(self.timeout);
        let talk = talk(&mut child, server, &events, conduct, timeout)
            .map_err(|source| RunError::File { path: spec.directory.clone(), source })?;
        let wall_seconds = clock.elapsed().as_secs_f64();
        // A kill may have come in the middle of writing it; then nothing was loaded that could be proven.
        let loaded = pointer(&spec.directory.join("trace").join(LOADED));
        let loaded = if talk.killed { loaded.ok().flatten() } else { loaded? };
        let output = RunOutput {
            directory: spec.directory.clone(),
            checkpoints: spec.checkpoints.clone(),
            nonce,
            pid,
            start: spec.start,
            ending: talk.exit.ending,
            killed: talk.killed,
            killed_at: talk.killed_at,
            announcements: talk.heard,
            latest_before,
            loaded,
            latest_after: latest(spec)?,
            left_behind: talk.exit.killed.saturating_sub(usize::from(talk.exit.ending == Ending::SIGKILL)),
            message: tail(&launch.stderr, TAIL),
            wall_seconds,
        };
        if let Some(message) = talk.broken {
            return Err(RunError::Control { message, directory: output.directory });
        }
        if talk.timed_out {
            let (seconds, message, directory) = (timeout.as_secs_f64(), output.message, output.directory);
            return Err(RunError::TimedOut { seconds, message, directory });
        }
        output.prove(started)?;
        Ok(output)
    }

    fn prepare(&self, spec: &RunSpec) -> Result<Option<Pointer>, RunError> {
        let file = |path: &Path, source| RunError::File { path: path.to_owned(), source };
        let trace = spec.directory.join("trace");
        if trace.exists() {
            return Err(file(&trace, io::Error::new(io::ErrorKind::AlreadyExists, "a run has its folder for itself")));
        }
        fs::create_dir_all(&trace).map_err(|source| file(&trace, source))?;
        if let Some(checkpoints) = &spec.checkpoints {
            fs::create_dir_all(checkpoints).map_err(|source| file(checkpoints, source))?;
        }
        latest(spec)
    }

    fn launch(&self, spec: &RunSpec, nonce: &str, socket: Option<&Path>) -> Result<Launch, RunError> {
        let mut request = spec.request(nonce.to_owned(), socket.map(Path::to_owned));
        request.recipe = absolute(&request.recipe);
        let path = spec.directory.join("request.json");
        let text = serde_json::to_vec_pretty(&request).expect("a request is plain data");
        fs::write(&path, text).map_err(|source| RunError::File { path: path.clone(), source })?;
        let kind = match spec.start {
            Start::Train => CommandKind::Train,
            Start::Resume => CommandKind::Resume,
        };
        let values = Values { recipe: &request.recipe, request: Some(&path), checkpoints: spec.checkpoints.as_deref() };
        Ok(Launch {
            command: self.adapter.command(kind, &values)?,
            environment: self.adapter.environment.clone(),
            directory: spec.directory.clone(),
            stdout: spec.directory.join("stdout.log"),
            stderr: spec.directory.join("stderr.log"),
            nonce: nonce.to_owned(),
        })
    }

    fn ask(&self, kind: CommandKind, values: &Values<'_>) -> Result<String, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::Socket)?;
        let launch = Launch {
            command: self.adapter.command(kind, values)?,
            environment: self.adapter.environment.clone(),
            directory: folder.path().to_owned(),
            stdout: folder.path().join("stdout.log"),
            stderr: folder.path().join("stderr.log"),
            nonce: nonce::draw(),
        };
        let start = |source| RunError::Start { command: launch.command.clone(), source };
        let exit = Child::start(&launch, || {}).and_then(|mut child| child.wait(self.timeout)).map_err(start)?;
        let (command, message) = (launch.command.join(" "), tail(&launch.stderr, TAIL));
        match exit.map(|exit| exit.ending) {
            Some(Ending::Code(0)) => fs::read_to_string(&launch.stdout)
                .map_err(|error| RunError::Answer { command: "question", message: error.to_string() }),
            Some(ending) => Err(RunError::Question { command, ending, message }),
            None => {
                let (seconds, directory) = (self.timeout.as_secs_f64(), command.into());
                Err(RunError::TimedOut { seconds, message, directory })
            }
        }
    }
}

fn latest(spec: &RunSpec) -> Result<Option<Pointer>, RunError> {
    spec.checkpoints.as_ref().map_or(Ok(None), |folder| pointer(&folder.join(LATEST)))
}

fn pointer(path: &Path) -> Result<Option<Pointer>, RunError> {
    Pointer::read(path).map_err(RunError::Pointer)
}

/// A recipe is a name or the path of a file; a path must mean the same in the folder of the run.
fn absolute(recipe: &str) -> String {
    let path = Path::new(recipe);
    if !path.is_file() {
        return recipe.to_owned();
    }
    std::path::absolute(path).map_or_else(|_| recipe.to_owned(), |path| path.to_string_lossy().into_owned())
}

#[expect(clippy::disallowed_methods, reason = "says when a run began and how long it took")]
fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
