//! Saves on the training thread or beside it, one at a time.
//!
//! An asynchronous save copies the state first, so what training does afterwards cannot reach the save. A second save
//! waits for the first. An error of a save that runs beside training comes out of the next call.

use super::{CheckpointError, Recipe, SaveOptions, State, StatePolicy, save};
use crate::storage::Storage;
use contract::pointer::Pointer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// What the saves of a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveCounters {
    pub saves: u64,
    pub async_saves: u64,
    /// Steps that ended while an asynchronous save was under way.
    pub steps_advanced_during_save: u64,
    pub bytes_written: u64,
}

impl SaveCounters {
    /// For `counters.json`.
    #[must_use]
    pub fn to_map(self) -> BTreeMap<String, u64> {
        BTreeMap::from([
            ("saves".to_owned(), self.saves),
            ("async_saves".to_owned(), self.async_saves),
            ("steps_advanced_during_save".to_owned(), self.steps_advanced_during_save),
            ("bytes_written".to_owned(), self.bytes_written),
        ])
    }
}

/// The owner of a run's storage.
#[derive(Debug)]
pub struct Saver {
    /// With the worker while a save is under way.
    storage: Option<Storage>,
    flight: Option<Flight>,
    recipe: Recipe,
    options: SaveOptions,
    policy: Arc<dyn StatePolicy>,
    newest: Option<Pointer>,
    counters: SaveCounters,
}

#[derive(Debug)]
struct Flight {
    step: u64,
    worker: JoinHandle<(Storage, Result<Pointer, CheckpointError>)>,
}

impl Saver {
    #[must_use]
    pub fn new(storage: Storage, recipe: Recipe, options: SaveOptions, policy: Arc<dyn StatePolicy>) -> Self {
        let (storage, counters) = (Some(storage), SaveCounters::default());
        Self { storage, flight: None, recipe, options, policy, newest: None, counters }
    }

    /// Saves `state`, which has `step` steps behind it. With `asynchronous`, returns when the state has been copied.
    ///
    /// # Errors
    /// Those of [`save`], of this save or of the one before it.
    ///
    /// # Panics
    /// When the system cannot start a thread.
    #[expect(clippy::disallowed_methods, reason = "the one thread of a save that runs beside training; it is joined")]
    pub fn save(&mut self, step: u64, state: &State) -> Result<(), CheckpointError> {
        self.wait()?;
        let mut storage = self.storage.take().ok_or(CheckpointError::Ended)?;
        let state = self.policy.before_save(step, state);
        self.counters.saves += 1;
        if !self.options.asynchronous {
            let result = save(&mut storage, step, &self.recipe, &state, &self.options);
            return self.landed(storage, result);
        }
        self.counters.async_saves += 1;
        let (state, recipe, options) = (state.into_owned(), self.recipe.clone(), self.options.clone());
        let policy = self.policy.clone();
        let worker = thread::spawn(move || {
            let state = policy.while_writing(step, &state);
            let result = save(&mut storage, step, &recipe, &state, &options);
            (storage, result)
        });
        self.flight = Some(Flight { step, worker });
        Ok(())
    }

    /// Says that training has ended a step: counts it when a save is under way, and collects a save that is done.
    ///
    /// # Errors
    /// Those of a save that has ended since the last call.
    pub fn step_ended(&mut self) -> Result<(), CheckpointError> {
        match &self.flight {
            Some(flight) if !flight.worker.is_finished() => {
                self.counters.steps_advanced_during_save += 1;
                Ok(())
            }
            Some(_) => self.wait(),
            None => Ok(()),
        }
    }

    /// Waits for the save that is under way and returns the newest save that this run committed.
    ///
    /// # Errors
    /// Those of that save.
    pub fn finish(&mut self) -> Result<Option<&Pointer>, CheckpointError> {
        self.wait()?;
        Ok(self.newest.as_ref())
    }

    /// Complete after [`Saver::finish`].
    #[must_use]
    pub const fn counters(&self) -> SaveCounters {
        self.counters
    }

    fn wait(&mut self) -> Result<(), CheckpointError> {
        let Some(Flight { step, worker }) = self.flight.take() else { return Ok(()) };
        let (storage, result) = worker.join().map_err(|_| CheckpointError::Worker { step })?;
        self.landed(storage, result)
    }

    fn landed(&mut self, storage: Storage, result: Result<Pointer, CheckpointError>) -> Result<(), CheckpointError> {
        self.counters.bytes_written = storage.bytes_written();
        self.storage = Some(storage);
        self.newest = Some(result?);
        Ok(())
    }
}

impl Drop for Saver {
    /// A run that ends early does not cut off a save that could still be committed.
    fn drop(&mut self) {
        if let Some(flight) = self.flight.take() {
            // Its error has nowhere to go: the run is already ending with another one.
            drop(flight.worker.join());
        }
    }
}
