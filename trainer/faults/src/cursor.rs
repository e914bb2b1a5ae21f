//! Positions in the data that are saved or restored wrongly.

use engine::data::{CursorPolicy, Place, Progress};
use std::sync::atomic::{AtomicU64, Ordering};

/// A position that is right when saved; the function decides where a resumed run starts.
#[derive(Debug)]
pub struct ResumesAt(pub fn(Place) -> u64);

impl CursorPolicy for ResumesAt {
    fn save(&self, progress: Progress) -> u64 {
        progress.consumer
    }

    fn resume(&self, saved: Place) -> u64 {
        let step = (self.0)(saved);
        mutants::activated(u64::from(step != saved.step));
        step
    }
}

/// Saves how far prefetch may be, not how far training is.
#[derive(Debug)]
pub struct SavesProducer;

impl CursorPolicy for SavesProducer {
    fn save(&self, progress: Progress) -> u64 {
        mutants::activated(1);
        progress.consumer + progress.depth
    }

    fn resume(&self, saved: Place) -> u64 {
        saved.step
    }
}

/// Saves the position that workers have reported: none has before each of them has delivered a batch.
#[derive(Debug, Default)]
pub struct SavesReported(AtomicU64);

impl CursorPolicy for SavesReported {
    fn save(&self, progress: Progress) -> u64 {
        let first = self.0.load(Ordering::Relaxed);
        let reported = progress.consumer >= first + REPORTED_AFTER;
        mutants::activated(u64::from(!reported && progress.consumer != first));
        if reported { progress.consumer } else { first }
    }

    fn resume(&self, saved: Place) -> u64 {
        self.0.store(saved.step, Ordering::Relaxed);
        saved.step
    }
}

/// Steps until every worker has reported a position.
const REPORTED_AFTER: u64 = 2;
