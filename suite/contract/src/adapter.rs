//! The adapter file: how the suite starts a trainer that it knows nothing about.

use crate::SCHEMA;
use minijinja::{Environment, UndefinedBehavior, context};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An adapter. Each command is a list of arguments; each argument is a template. Templates may use `trainer` (path of
/// the trainer's executable), `directory` (folder of the adapter file), `recipe` and `request` (path of the request
/// file).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    pub schema: u32,
    pub name: String,
    /// Added to the environment of every command.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Prints the names of the known recipes, one a line.
    pub recipes: Vec<String>,
    /// Prints a [`crate::description::Description`] as JSON.
    pub describe: Vec<String>,
    /// Prints the plan of a recipe for people.
    pub plan: Vec<String>,
    /// Makes the run of `request` from the start.
    pub train: Vec<String>,
    /// Makes the run of `request` from the newest checkpoint in its checkpoint directory.
    pub resume: Vec<String>,
    /// Loads and verifies the newest checkpoint of `checkpoints`, prints its `latest.json`, changes nothing.
    pub verify: Vec<String>,
    #[serde(skip)]
    pub directory: PathBuf,
    #[serde(skip)]
    pub trainer: PathBuf,
}

/// What a template may refer to.
#[derive(Clone, Debug, Default)]
pub struct Values<'a> {
    pub recipe: &'a str,
    pub request: Option<&'a Path>,
    pub checkpoints: Option<&'a Path>,
}

#[derive(Debug, Error)]
pub enum AdapterError {
    #[error("cannot read adapter file {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("adapter file {path} is not valid: {message}")]
    Parse { path: PathBuf, message: String },
    #[error(
        "adapter file {path} has schema {found}; this suite knows schema {SCHEMA}. Update the suite or the adapter."
    )]
    Schema { path: PathBuf, found: u32 },
    #[error("adapter `{adapter}`: argument `{argument}` is not a valid template: {message}")]
    Template { adapter: String, argument: String, message: String },
    #[error("adapter `{adapter}`: the command `{command}` is empty")]
    Empty { adapter: String, command: &'static str },
}

impl Adapter {
    /// Reads an adapter file; `trainer` is the executable that its templates may name.
    ///
    /// # Errors
    /// When the file cannot be read, has an unknown key, or another schema.
    pub fn read(path: &Path, trainer: &Path) -> Result<Self, AdapterError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| AdapterError::Read { path: path.to_owned(), source })?;
        let mut adapter = Self::parse(&text, path)?;
        adapter.directory = path.parent().unwrap_or(Path::new(".")).to_owned();
        adapter.trainer = trainer.to_owned();
        Ok(adapter)
    }

    /// An adapter that is built into a program. Its `directory` is the working directory.
    ///
    /// # Errors
    /// As [`Adapter::read`].
    pub fn built_in(text: &str, trainer: &Path) -> Result<Self, AdapterError> {
        let mut adapter = Self::parse(text, Path::new("(built in)"))?;
        adapter.directory = PathBuf::from(".");
        adapter.trainer = trainer.to_owned();
        Ok(adapter)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, AdapterError> {
        let adapter: Self = serde_yaml::from_str(text)
            .map_err(|error| AdapterError::Parse { path: path.to_owned(), message: error.to_string() })?;
        if adapter.schema != SCHEMA {
            return Err(AdapterError::Schema { path: path.to_owned(), found: adapter.schema });
        }
        Ok(adapter)
    }

    /// The arguments of one command, its program first.
    ///
    /// # Errors
    /// When the command is empty or a template names something that it may not.
    pub fn command(&self, which: CommandKind, values: &Values<'_>) -> Result<Vec<String>, AdapterError> {
        let (name, template) = match which {
            CommandKind::Recipes => ("recipes", &self.recipes),
            CommandKind::Describe => ("describe", &self.describe),
            CommandKind::Plan => ("plan", &self.plan),
            CommandKind::Train => ("train", &self.train),
            CommandKind::Resume => ("resume", &self.resume),
            CommandKind::Verify => ("verify", &self.verify),
        };
        if template.is_empty() {
            return Err(AdapterError::Empty { adapter: self.name.clone(), command: name });
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let text = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
        let context = context! {
            trainer => self.trainer.to_string_lossy(),
            directory => self.directory.to_string_lossy(),
            recipe => values.recipe,
            request => text(values.request),
            checkpoints => text(values.checkpoints),
        };
        template
            .iter()
            .map(|argument| {
                environment.render_str(argument, &context).map_err(|error| AdapterError::Template {
                    adapter: self.name.clone(),
                    argument: argument.clone(),
                    message: error.to_string(),
                })
            })
            .collect()
    }
}

/// The commands of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    Recipes,
    Describe,
    Plan,
    Train,
    Resume,
    Verify,
}
