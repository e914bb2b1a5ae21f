//! Two recipes to be compared for their precision: read, checked, and put into one frame.

use super::train::overrides;
use crate::error::EngineError;
use crate::policies::Policies;
use contract::request::Part;
use plan::Recipe;
use plan::comparable::{aligned, differences};
use plan::recipe::RecipeError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct PairOptions {
    /// Steps to run; all of the recipes without it.
    pub steps: Option<u64>,
    /// `KEY=VALUE` overrides of `execution`, for both.
    pub set: Vec<String>,
    /// Give the second recipe everything but profile and precision from the first.
    pub align: bool,
}

/// One side of a pair, ready to run.
#[derive(Clone, Debug)]
pub struct Side {
    pub name: String,
    /// Name or path to give to a trainer.
    pub recipe: String,
    pub recipe_digest: String,
    /// `profile ieee, storage f32, wire fp32_leaf`.
    pub precision: String,
}

/// Two recipes that differ in profile and precision at most.
#[derive(Clone, Debug)]
pub struct Pair {
    pub sides: [Side; 2],
    pub steps: u64,
    pub set: BTreeMap<String, serde_json::Value>,
}

/// Reads both recipes and refuses what cannot be compared or cannot run. With `align` the second recipe is written
/// into `directory`.
///
/// # Errors
/// When a recipe, an override or the number of steps is not valid, or the recipes differ in more than their precision.
pub fn pair(
    recipes: [&str; 2],
    options: &PairOptions,
    policies: &Policies,
    directory: &Path,
) -> Result<Pair, EngineError> {
    let (left, mut right) = (plan::recipe::load(recipes[0])?, plan::recipe::load(recipes[1])?);
    let mut paths = recipes.map(str::to_owned);
    if options.align {
        let invalid = |source| RecipeError::Invalid { path: PathBuf::from(recipes[1]), source };
        right = aligned(&left, &right).map_err(invalid)?;
    }
    let found = differences(&left, &right, options.steps.is_some());
    if !found.is_empty() {
        return Err(EngineError::NotComparable { left: left.name, right: right.name, found });
    }
    let most = left.semantics.steps.min(right.semantics.steps);
    let steps = options.steps.unwrap_or(most);
    if !(1..=most).contains(&steps) {
        return Err(EngineError::Steps { asked: steps, most });
    }
    let set = overrides(&options.set)?;
    for recipe in [&left, &right] {
        let mut recipe = recipe.clone();
        plan::recipe::set(&mut recipe, &set)?;
        plan::assemble(&recipe, &Part::EndToEnd, &policies.registry, &policies.mutations)?;
    }
    if options.align {
        paths[1] = write(&right, directory)?;
    }
    let [left_path, right_path] = paths;
    Ok(Pair { sides: [side(&left, left_path), side(&right, right_path)], steps, set })
}

fn side(recipe: &Recipe, path: String) -> Side {
    let semantics = &recipe.semantics;
    let [profile, storage, wire] = [
        serde_json::to_value(semantics.profile),
        serde_json::to_value(semantics.precision.storage),
        serde_json::to_value(semantics.precision.wire),
    ]
    .map(|word| word.ok().and_then(|word| word.as_str().map(str::to_owned)).expect("each serialises as a word"));
    Side {
        name: recipe.name.clone(),
        recipe: path,
        recipe_digest: recipe.digest(),
        precision: format!("profile {profile}, storage {storage}, wire {wire}"),
    }
}

/// Writes a recipe that is in no file yet; its name stays the file's stem.
fn write(recipe: &Recipe, directory: &Path) -> Result<String, EngineError> {
    let path = directory.join(format!("{}.yaml", recipe.name));
    let text = plan::recipe::text(recipe);
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|source| EngineError::trace(&path, source))?;
    Ok(path.to_string_lossy().into_owned())
}
