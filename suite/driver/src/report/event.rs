//! Events, and the bus that carries them to reporters.

use super::model::{Estimate, NotCompared, RecipeReport, Report, TrialReport};
use std::sync::{Mutex, PoisonError};

/// Something that happened in a call of the suite.
#[derive(Clone, Debug)]
pub enum Event {
    /// Before the first trial.
    Started {
        trials: usize,
        seed: u64,
        recipes: Vec<RecipeReport>,
        estimate: Option<Estimate>,
    },
    /// A trial of this call will not be compared here.
    NotCompared(NotCompared),
    TrialStarted {
        trial: String,
    },
    /// What a running trial does now: `run 2 of 2, perturbed`.
    Progress {
        trial: String,
        message: String,
    },
    TrialFinished(Box<TrialReport>),
    /// After the last trial; the files have been written.
    Finished(Box<Report>),
}

/// Consumes events.
pub trait Reporter: Send {
    fn event(&mut self, event: &Event);
}

/// Hands each event to every reporter, one event at a time.
#[derive(Default)]
pub struct Bus {
    reporters: Mutex<Vec<Box<dyn Reporter>>>,
}

impl Bus {
    pub fn add(&self, reporter: Box<dyn Reporter>) {
        self.reporters.lock().unwrap_or_else(PoisonError::into_inner).push(reporter);
    }

    pub fn emit(&self, event: &Event) {
        // A reporter that panicked once must not silence the others.
        for reporter in self.reporters.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            reporter.event(event);
        }
    }

    /// Says what a running trial does now.
    pub fn progress(&self, trial: &str, message: impl Into<String>) {
        self.emit(&Event::Progress { trial: trial.to_owned(), message: message.into() });
    }
}
