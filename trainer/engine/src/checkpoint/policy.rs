//! The two places where what a save does is replaced: by a record that is no save, and by planted faults. The defaults
//! change nothing.

use super::{ExpectedLeaf, SaveStep, State};
use contract::pointer::Pointer;
use std::borrow::Cow;
use std::fmt::Debug;

/// Decides in which order a save touches storage.
///
/// A save is a list of [`SaveStep`]s; a policy gives back another list. Removing the `SyncFile`s of shards, moving the
/// removal of older saves to the front, or renaming before syncing (see [`SaveStep::relocate`]) are a few lines each.
pub trait SavePolicy: Debug + Send + Sync {
    fn rewrite<'a>(&self, steps: Vec<SaveStep<'a>>) -> Vec<SaveStep<'a>> {
        steps
    }

    /// Complete saves that stay, the new one among them, when the recipe asks for `keep`.
    fn kept(&self, keep: u32) -> usize {
        keep.max(2) as usize
    }

    /// Whether `step` may be saved over a newer save. A trainer that restores properly never needs it.
    fn replaces_newer(&self, step: u64, newest: &Pointer) -> bool {
        let _ = (step, newest);
        false
    }
}

/// Decides what is saved and what is restored.
pub trait StatePolicy: Debug + Send + Sync {
    /// The state that is written instead of `state`. Called on the training thread, at the moment of the snapshot.
    fn before_save<'a>(&self, step: u64, state: &'a State) -> Cow<'a, State> {
        let _ = step;
        Cow::Borrowed(state)
    }

    /// Shown the live state at the end of every step, before a save that is due.
    fn step_ended(&self, live: &State) {
        let _ = live;
    }

    /// The state that an asynchronous save writes instead of its snapshot. Called on the writer's thread.
    fn while_writing<'a>(&self, step: u64, snapshot: &'a State) -> Cow<'a, State> {
        let _ = step;
        Cow::Borrowed(snapshot)
    }

    /// The save to load: `newest` is what `latest.json` names, `complete` every complete save, oldest first.
    fn choose(&self, newest: Option<Pointer>, complete: &[Pointer]) -> Option<Pointer> {
        let _ = complete;
        newest
    }

    /// The state to restore. Called after the save was verified and before its leaves are compared with `expected`.
    fn after_load(&self, expected: &[ExpectedLeaf], state: State) -> State {
        let _ = expected;
        state
    }
}

/// The order of steps that survives every crash.
#[derive(Clone, Copy, Debug, Default)]
pub struct SafeOrder;

impl SavePolicy for SafeOrder {}

/// The steps of a record that need not survive a loss of power: nothing is synced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unsynced;

impl SavePolicy for Unsynced {
    fn rewrite<'a>(&self, mut steps: Vec<SaveStep<'a>>) -> Vec<SaveStep<'a>> {
        steps.retain(|step| !matches!(step, SaveStep::SyncFile { .. } | SaveStep::SyncDirectory { .. }));
        steps
    }
}

/// Saves the live state and restores the newest save.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactState;

impl StatePolicy for ExactState {}
