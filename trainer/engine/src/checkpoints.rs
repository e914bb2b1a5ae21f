//! A run's use of its checkpoint directory: what it expects to find, when it saves, and the evidence it leaves.

use crate::checkpoint::{self, Expectations, ExpectedLeaf, Leaf, SaveOptions, Saver, State, StatePolicy};
use crate::control::Control;
use crate::counters::Counters;
use crate::error::EngineError;
use crate::policies::Policies;
use crate::storage::Storage;
use contract::SCHEMA;
use contract::pointer::{LOADED, Pointer};
use contract::request::{Request, StorageRequest};
use library::tensor::{Spec, Tensor};
use plan::Recipe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Checkpoints {
    root: PathBuf,
    run_directory: PathBuf,
    saver: Saver,
    recipe: checkpoint::Recipe,
    policy: Arc<dyn StatePolicy>,
    /// Step of the newest save of this run.
    saved: Option<u64>,
}

/// A state that was loaded and verified.
pub struct Found {
    pub leaves: Vec<(String, Tensor)>,
    pub pointer: Pointer,
}

fn identity(recipe: &Recipe, request: &Request) -> checkpoint::Recipe {
    // A part's state is not the recipe's: it must not be resumed as if it were.
    let digest = blake3::hash(format!("{} {}", recipe.digest(), request.part).as_bytes()).to_hex().to_string();
    checkpoint::Recipe { name: format!("{} {}", recipe.name, request.part), digest }
}

/// Named tensors as a state.
pub fn state(leaves: Vec<(String, Tensor)>) -> State {
    State { leaves: leaves.into_iter().map(|(name, tensor)| Leaf { name, tensor }).collect() }
}

impl Checkpoints {
    /// Opens the checkpoint directory of the request; `None` when it names none.
    ///
    /// # Errors
    /// When the directory or the operation log cannot be created.
    pub fn open(
        request: &Request,
        recipe: &Recipe,
        control: &Control,
        policies: &Policies,
    ) -> Result<Option<Self>, EngineError> {
        let Some(root) = &request.checkpoint_directory else { return Ok(None) };
        let connection = control.clone_connection()?;
        let storage = Storage::open(root, &request.storage, &request.run_directory, connection)
            .map_err(checkpoint::CheckpointError::from)?;
        let options = SaveOptions {
            keep: recipe.execution.checkpoint.keep,
            asynchronous: recipe.execution.checkpoint.asynchronous,
            policy: policies.save.clone(),
            ..SaveOptions::default()
        };
        let recipe = identity(recipe, request);
        Ok(Some(Self {
            root: root.clone(),
            run_directory: request.run_directory.clone(),
            saver: Saver::new(storage, recipe.clone(), options, policies.state.clone()),
            recipe,
            policy: policies.state.clone(),
            saved: None,
        }))
    }

    /// Loads the newest save and leaves `loaded.json` as evidence; `None` when nothing was ever committed.
    ///
    /// # Errors
    /// When the newest save is damaged or belongs to something else.
    pub fn load(&mut self, expected: Vec<(String, Spec)>) -> Result<Option<Found>, EngineError> {
        let leaves = expected.into_iter().map(|(name, spec)| ExpectedLeaf { name, spec }).collect();
        let expectations = Expectations { recipe: self.recipe.clone(), leaves };
        let loaded = checkpoint::load(&self.root, &expectations, self.policy.as_ref())?;
        let Some(loaded) = loaded else { return Ok(None) };
        write_pointer(&self.run_directory.join(LOADED), &loaded.pointer)?;
        let leaves = loaded.state.leaves.into_iter().map(|leaf| (leaf.name, leaf.tensor)).collect();
        Ok(Some(Found { leaves, pointer: loaded.pointer }))
    }

    /// Saves the state of a run that has `step` steps behind it.
    ///
    /// # Errors
    /// Those of this save, or of an asynchronous one before it.
    pub fn save(&mut self, step: u64, state: &State) -> Result<(), EngineError> {
        self.saver.save(step, state)?;
        self.saved = Some(step);
        Ok(())
    }

    /// Tells an asynchronous save that training went on, and what the state is now.
    ///
    /// # Errors
    /// Those of a save that has ended.
    pub fn step_ended(&mut self, live: &State) -> Result<(), EngineError> {
        self.policy.step_ended(live);
        Ok(self.saver.step_ended()?)
    }

    /// Step of the newest save of this run.
    #[must_use]
    pub fn saved(&self) -> Option<u64> {
        self.saved
    }

    /// Waits for what is under way.
    ///
    /// # Errors
    /// Those of the last save.
    pub fn finish(&mut self) -> Result<(), EngineError> {
        self.saver.finish()?;
        Ok(())
    }

    pub fn count(&self, counters: &mut Counters) {
        let done = self.saver.counters();
        counters.set("saves", done.saves);
        counters.set("saves_asynchronous", done.async_saves);
        counters.set("steps_advanced_during_save", done.steps_advanced_during_save);
        counters.set("checkpoint_bytes_written", done.bytes_written);
    }
}

fn write_pointer(path: &Path, pointer: &Pointer) -> Result<(), EngineError> {
    let pointer = Pointer { schema: SCHEMA, ..pointer.clone() };
    let text = serde_json::to_vec_pretty(&pointer).expect("a pointer is plain data");
    std::fs::write(path, text).map_err(|source| EngineError::trace(path, source))
}

/// Makes an older complete save the newest one, as an operator decides after the newest was damaged.
///
/// # Errors
/// When there is no such save or it is not sound.
pub fn select(root: &Path, save: &str, run_directory: &Path) -> Result<Pointer, EngineError> {
    let mut storage = Storage::open(root, &StorageRequest::default(), run_directory, Control::inert())
        .map_err(checkpoint::CheckpointError::from)?;
    Ok(checkpoint::select(&mut storage, save)?)
}

/// Writes the state at the end of a run as `final/` in its trace directory, in the form of a checkpoint. Nothing of it
/// is announced, logged, made to fail or synced: it is a record, not a save.
///
/// # Errors
/// When it cannot be written.
pub fn write_final(
    request: &Request,
    recipe: &Recipe,
    step: u64,
    leaves: Vec<(String, Tensor)>,
) -> Result<(), EngineError> {
    let root = request.run_directory.join("final");
    let quiet = StorageRequest::default();
    let mut storage = Storage::open(&root, &quiet, &request.run_directory, Control::inert())
        .map_err(checkpoint::CheckpointError::from)?;
    let options = SaveOptions { policy: Arc::new(checkpoint::Unsynced), ..SaveOptions::default() };
    checkpoint::save(&mut storage, step, &identity(recipe, request), &state(leaves), &options)?;
    Ok(())
}
