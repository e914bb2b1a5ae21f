//! Loading: the newest committed save, verified in full, or an error. Never another one.

use super::inspect::{Depth, inspect};
use super::steps::{is_stale_file, pointer_steps};
use super::survey::{find, survey};
use super::{CheckpointError, Leaf, Problem, Recipe, SaveStep, State, StatePolicy, manifest, save};
use crate::storage::{CHUNK_BYTES, Reader, Source, Storage};
use contract::pointer::Pointer;
use library::tensor::Spec;
use std::collections::BTreeMap;
use std::path::Path;

/// A leaf that the recipe's state has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedLeaf {
    pub name: String,
    pub spec: Spec,
}

/// What a run demands of a save before it restores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectations {
    pub recipe: Recipe,
    /// In the order of the plan's registry; the loaded state comes in this order.
    pub leaves: Vec<ExpectedLeaf>,
}

impl Expectations {
    /// Demands the leaves that `state` has.
    #[must_use]
    pub fn of(recipe: &Recipe, state: &State) -> Self {
        let expected = |leaf: &Leaf| ExpectedLeaf { name: leaf.name.clone(), spec: leaf.tensor.spec.clone() };
        Self { recipe: recipe.clone(), leaves: state.leaves.iter().map(expected).collect() }
    }
}

/// A restored state and the save that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    pub state: State,
    pub pointer: Pointer,
}

/// Loads the save that `latest.json` names. `Ok(None)` when nothing was ever committed: the run starts from step 0.
///
/// # Errors
/// When the pointer or the save is damaged, of a newer schema or of another recipe, or its leaves are not those that
/// are expected. Every problem is named.
pub fn load(
    root: &Path,
    expectations: &Expectations,
    policy: &dyn StatePolicy,
) -> Result<Option<Loaded>, CheckpointError> {
    let mut source = Reader::new(root);
    let mut survey = survey(&mut source, root)?;
    let newest = survey.newest(root)?;
    let Some(pointer) = policy.choose(newest, &survey.complete()) else { return Ok(None) };
    let inspection = inspect(&mut source, root, &pointer, Depth::Leaves)?;
    let path = root.join(&pointer.directory);
    let Some(manifest) = inspection.manifest.filter(|_| inspection.problems.is_empty()) else {
        let older = newest_older(root, pointer.step);
        return Err(CheckpointError::Damaged { path, problems: inspection.problems, older });
    };
    if manifest.recipe_digest != expectations.recipe.digest {
        let Recipe { name: expected, digest: expected_digest } = expectations.recipe.clone();
        let (found, found_digest) = (manifest.recipe, manifest.recipe_digest);
        return Err(CheckpointError::OtherRecipe { path, expected, expected_digest, found, found_digest });
    }
    let state = policy.after_load(&expectations.leaves, inspection.state);
    match arrange(&expectations.leaves, state) {
        Ok(state) => Ok(Some(Loaded { state, pointer })),
        Err(problems) => Err(CheckpointError::Leaves { path, problems }),
    }
}

/// The newest save before `step` that is sound in every byte. What cannot be read is not sound.
pub fn newest_older(root: &Path, step: u64) -> Option<String> {
    let mut source = Reader::new(root);
    let complete = survey(&mut source, root).ok()?.complete();
    let sound = |pointer: &Pointer| {
        inspect(&mut source, root, pointer, Depth::Leaves).is_ok_and(|inspection| inspection.problems.is_empty())
    };
    let older = complete.into_iter().rev().filter(|pointer| pointer.step < step);
    older.into_iter().find(sound).map(|pointer| pointer.directory)
}

/// Puts the leaves of a state in the expected order.
fn arrange(expected: &[ExpectedLeaf], state: State) -> Result<State, Vec<Problem>> {
    let place = "the save";
    let mut found: BTreeMap<_, _> = state.leaves.into_iter().map(|leaf| (leaf.name, leaf.tensor)).collect();
    let (mut leaves, mut problems) = (Vec::with_capacity(expected.len()), Vec::new());
    for ExpectedLeaf { name, spec } in expected {
        match found.remove(name) {
            Some(tensor) if tensor.spec == *spec => leaves.push(Leaf { name: name.clone(), tensor }),
            Some(tensor) => problems.push(Problem::LeafSpec {
                leaf: name.clone(),
                expected: spec.clone(),
                found: tensor.spec,
                place: place.to_owned(),
            }),
            None => problems.push(Problem::LeafMissing { leaf: name.clone(), place: place.to_owned() }),
        }
    }
    problems.extend(found.into_keys().map(|leaf| Problem::LeafExtra { leaf, place: place.to_owned() }));
    if problems.is_empty() { Ok(State { leaves }) } else { Err(problems) }
}

/// Makes `latest.json` name the complete save `directory`, as an operator's decision after the newest save was damaged
/// or the pointer was lost. Newer saves are removed by the next save.
///
/// # Errors
/// When there is no such save or it is not sound, or the pointer cannot be written.
pub fn select(storage: &mut Storage, directory: &str) -> Result<Pointer, CheckpointError> {
    let root = storage.root().to_owned();
    let mut reader = Reader::new(&root);
    let no_such_save = |problems| {
        let directory = directory.to_owned();
        CheckpointError::NoSuchSave { root: root.clone(), directory, problems }
    };
    // The pointer may be what is damaged, so nothing but the folder is read.
    let pointer = find(&mut reader, directory)?.ok_or_else(|| no_such_save(Vec::new()))?;
    let inspection = inspect(&mut reader, &root, &pointer, Depth::Leaves)?;
    if !inspection.problems.is_empty() {
        return Err(no_such_save(inspection.problems));
    }
    storage.begin_save(pointer.step, false);
    let entries = storage.list("")?.unwrap_or_default();
    for entry in entries.iter().filter(|entry| is_stale_file(&entry.name)) {
        storage.remove_file(&entry.name)?;
    }
    let mut steps = pointer_steps(manifest::json(&pointer));
    steps.push(SaveStep::Commit);
    save::execute(storage, &pointer, steps, CHUNK_BYTES)?;
    Ok(pointer)
}
