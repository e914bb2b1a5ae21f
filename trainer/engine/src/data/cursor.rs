//! Which data step a save records, and which one a resumed run starts with.
//!
//! The engine asks a policy and never decides itself, so that another policy can be put in its
//! place without a branch in the engine. The two questions cover the ways in which a position
//! goes wrong: a save that records how far the producer is, a resume that loses the epoch
//! (`step_in_epoch`), a resume that throws away the rest of a partly consumed epoch
//! (`step - step_in_epoch + steps_in_epoch`). The data step is a number of its own beside the
//! step of the trainer: in a correct run they are equal.

use super::Place;
use std::fmt::Debug;

/// How far a run is in its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The next data step that training takes.
    pub consumer: u64,
    /// The next data step that prefetch starts; depends on timing.
    pub producer: u64,
    /// How many steps prefetch may be ahead: `producer ≤ consumer + depth`, and equal at rest.
    pub depth: u64,
}

/// Decides about positions.
pub trait CursorPolicy: Debug + Send + Sync {
    /// The data step that a save records as the next one.
    fn save(&self, progress: Progress) -> u64;

    /// The data step with which a run resumes whose saved position is `saved`.
    fn resume(&self, saved: Place) -> u64;
}

/// The correct policy: the consumer's position, restored as it was saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExactCursor;

impl CursorPolicy for ExactCursor {
    fn save(&self, progress: Progress) -> u64 {
        progress.consumer
    }

    fn resume(&self, saved: Place) -> u64 {
        saved.step
    }
}
