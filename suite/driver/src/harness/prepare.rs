//! From the command line to the chosen trials: reads the adapter, asks the trainer, builds the catalogue.

use crate::catalogue::MUSTPASS;
use crate::catalogue::{Selection, SelectionError, entries, read_list, recipe_of, select};
use crate::options::Options;
use crate::runner::Runner;
use contract::adapter::{Adapter, AdapterError};
use contract::description::Description;
use contract::verdict::Verdict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time of a run, and of a question to the trainer.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Trials that run when no recipe is named.
pub const QUICK: &str = "quick";

/// Where the adapter comes from when no option names one.
#[derive(Clone, Debug)]
pub enum AdapterSource {
    /// The text of an adapter file that is built into the program, and variables that its trainers get besides.
    BuiltIn(&'static str, BTreeMap<String, String>),
    File(PathBuf),
}

impl AdapterSource {
    /// The adapter, with `trainer` as its program.
    ///
    /// # Errors
    /// When a file cannot be read, or does not hold an adapter.
    pub fn adapter(&self, trainer: &Path) -> Result<Adapter, AdapterError> {
        match self {
            Self::File(path) => Adapter::read(path, trainer),
            Self::BuiltIn(text, environment) => {
                let mut adapter = Adapter::built_in(text, trainer)?;
                adapter.environment.extend(environment.clone());
                Ok(adapter)
            }
        }
    }
}

/// Everything that is known before the first run.
pub struct Prepared {
    pub runner: Runner,
    pub root: PathBuf,
    /// One for each recipe that was asked for.
    pub descriptions: Vec<Description>,
    pub selection: Selection,
}

pub fn prepare(options: &Options, source: AdapterSource, trainer: &Path) -> Result<Prepared, (Verdict, String)> {
    let infra = |message: String| (Verdict::Infra, message);
    let gap = |error: &SelectionError| (error.verdict(), error.to_string());
    let root = find_root(options.root.as_deref()).map_err(infra)?;
    let trainer = options.trainer.as_deref().unwrap_or(trainer);
    let adapter = options.adapter.clone().map_or(source, AdapterSource::File).adapter(trainer);
    let runner = Runner::new(adapter.map_err(|error| infra(error.to_string()))?, TIMEOUT);
    let known = runner.recipes().map_err(|error| infra(error.to_string()))?;
    let (recipes, set) = asked(options, &root, &known).map_err(|error| match error {
        Asked::Unknown(error) => gap(&error),
        Asked::NoList(message) => (Verdict::CoverageGap, message),
    })?;
    let mut descriptions = Vec::new();
    for recipe in &recipes {
        descriptions.push(runner.describe(recipe).map_err(|error| infra(error.to_string()))?);
    }
    let all: Vec<_> = descriptions.iter().flat_map(entries).collect();
    let set = set.as_deref().map(|list| (QUICK, list));
    let selection = select(&all, set, options).map_err(|error| gap(&error))?;
    Ok(Prepared { runner, root, descriptions, selection })
}

enum Asked {
    Unknown(SelectionError),
    NoList(String),
}

/// Recipes, and the list of trials when a set was asked for and not a recipe.
fn asked(options: &Options, root: &Path, known: &[String]) -> Result<(Vec<String>, Option<Vec<String>>), Asked> {
    let check = |name: &String| {
        let exists = known.contains(name) || Path::new(name).is_file();
        if exists { Ok(()) } else { Err(Asked::Unknown(SelectionError::unknown_recipe(name, known))) }
    };
    if !options.recipe.is_empty() {
        options.recipe.iter().try_for_each(check)?;
        return Ok((unique(options.recipe.iter().cloned()), None));
    }
    // A whole name says which recipe is meant.
    let named = options.libtest.filter.as_deref().and_then(recipe_of);
    if let Some(recipe) = named.filter(|recipe| known.iter().any(|name| name == recipe)) {
        return Ok((vec![recipe.to_owned()], None));
    }
    let list = read_list(root, QUICK).map_err(Asked::NoList)?;
    let recipes = unique(list.iter().filter_map(|name| recipe_of(name)).map(str::to_owned));
    recipes.iter().try_for_each(check)?;
    Ok((recipes, Some(list)))
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}

/// The folder that holds `suite/mustpass`.
///
/// # Errors
/// A text that says what to do, when there is none.
pub fn find_root(given: Option<&Path>) -> Result<PathBuf, String> {
    let start = match given {
        Some(root) => std::path::absolute(root),
        None => std::env::current_dir(),
    }
    .map_err(|error| format!("the working directory cannot be found: {error}"))?;
    let found = if given.is_some() {
        start.join(MUSTPASS).is_dir().then(|| start.clone())
    } else {
        start.ancestors().find(|folder| folder.join(MUSTPASS).is_dir()).map(Path::to_owned)
    };
    found.ok_or_else(|| format!("there is no {MUSTPASS} in {} or above. Name its folder with --root.", start.display()))
}
