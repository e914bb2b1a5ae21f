//! Batches made ahead of the trainer by threads of their own.
//!
//! Batches are addressed by step, so neither the depth nor the number of workers changes one,
//! and the position of a run is the consumer's, however far the workers are. A panic or an
//! error in a worker reaches the consumer at the step where it happened, after every batch
//! before it. Dropping the prefetcher joins its threads, after the batch that each is making.

use super::cursor::Progress;
use super::{Batch, DataError, Dataset};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};

/// Something that makes the batch of a step, in any order, from any thread.
pub trait BatchSource: Send + Sync {
    /// The batch of a data step.
    ///
    /// # Errors
    /// Whatever keeps the batch from being made.
    fn batch(&self, step: u64) -> Result<Batch, DataError>;
}

impl BatchSource for Dataset {
    fn batch(&self, step: u64) -> Result<Batch, DataError> {
        Self::batch(self, step)
    }
}

/// How far and with how many threads to work ahead. Neither changes a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefetchOptions {
    /// Steps ahead of the consumer, at least 2.
    pub depth: u64,
    /// Threads, at least 1.
    pub workers: usize,
}

impl Default for PrefetchOptions {
    fn default() -> Self {
        Self { depth: 2, workers: 1 }
    }
}

/// Hands out batches in step order.
#[derive(Debug)]
pub struct Prefetcher {
    shared: Arc<Shared>,
    depth: u64,
    workers: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// A batch is ready, or a worker failed.
    ready: Condvar,
    /// The consumer moved on, or wants the workers to stop.
    room: Condvar,
}

#[derive(Debug)]
struct State {
    consumer: u64,
    producer: u64,
    finished: BTreeMap<u64, Result<Batch, DataError>>,
    peak_ahead: usize,
    stop: bool,
}

impl Prefetcher {
    /// Starts making batches from `first_step` on.
    ///
    /// # Errors
    /// [`DataError::Spec`] for a depth below 2 or no worker; [`DataError::Prefetch`] when the
    /// system refuses a thread.
    #[expect(clippy::disallowed_methods, reason = "the home of the data workers; dropping joins them")]
    pub fn new(source: Arc<dyn BatchSource>, first_step: u64, options: PrefetchOptions) -> Result<Self, DataError> {
        let PrefetchOptions { depth, workers } = options;
        at_least("prefetch depth", depth, 2)?;
        at_least("prefetch workers", workers as u64, 1)?;
        let mut prefetcher = Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    consumer: first_step,
                    producer: first_step,
                    finished: BTreeMap::new(),
                    peak_ahead: 0,
                    stop: false,
                }),
                ready: Condvar::new(),
                room: Condvar::new(),
            }),
            depth,
            workers: Vec::with_capacity(workers),
        };
        for worker in 0..workers {
            let (shared, source) = (Arc::clone(&prefetcher.shared), Arc::clone(&source));
            let thread = Builder::new()
                .name(format!("prefetch-{worker}"))
                .spawn(move || shared.work(source.as_ref(), depth))
                .map_err(|error| DataError::Prefetch { step: first_step, cause: format!("no thread: {error}") })?;
            prefetcher.workers.push(thread);
        }
        Ok(prefetcher)
    }

    /// Waits for the next batch and moves the position past it.
    ///
    /// # Errors
    /// [`DataError::Prefetch`] when its worker failed; the position stays, and every later call
    /// gives the same error.
    pub fn next_batch(&mut self) -> Result<Batch, DataError> {
        let mut state = self.shared.lock();
        loop {
            let step = state.consumer;
            match state.finished.remove(&step) {
                Some(Ok(batch)) => {
                    state.consumer += 1;
                    self.shared.room.notify_all();
                    return Ok(batch);
                }
                Some(Err(error)) => {
                    state.finished.insert(step, Err(error.clone()));
                    return Err(error);
                }
                None => state = wait(&self.shared.ready, state),
            }
        }
    }

    /// The next step that [`Self::next_batch`] hands out: the position of the run.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.shared.lock().consumer
    }

    /// The next step that a worker starts: for reports, never for a save.
    #[must_use]
    pub fn producer_position(&self) -> u64 {
        self.shared.lock().producer
    }

    /// What a [`super::CursorPolicy`] decides on.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let state = self.shared.lock();
        Progress { consumer: state.consumer, producer: state.producer, depth: self.depth }
    }

    /// The most batches that lay finished at one time; depends on timing.
    #[must_use]
    pub fn peak_ahead(&self) -> usize {
        self.shared.lock().peak_ahead
    }
}

impl Drop for Prefetcher {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.room.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches its panics, so joining cannot fail; a drop has nobody to tell.
            drop(worker.join());
        }
    }
}

impl Shared {
    fn work(&self, source: &dyn BatchSource, depth: u64) {
        while let Some(step) = self.claim(depth) {
            let made = catch_unwind(AssertUnwindSafe(|| source.batch(step)));
            let made = made.unwrap_or_else(|panic| {
                let cause = panic_message(panic.as_ref());
                Err(DataError::Prefetch { step, cause })
            });
            let made = made.map_err(|error| match error {
                DataError::Prefetch { .. } => error,
                cause => DataError::Prefetch { step, cause: cause.to_string() },
            });
            let mut state = self.lock();
            state.finished.insert(step, made);
            state.peak_ahead = state.peak_ahead.max(state.finished.len());
            self.ready.notify_all();
        }
    }

    /// The next step to make, once there is room for it; none when asked to stop.
    fn claim(&self, depth: u64) -> Option<u64> {
        let mut state = self.lock();
        loop {
            if state.stop {
                return None;
            }
            if state.producer < state.consumer.saturating_add(depth) {
                state.producer += 1;
                return Some(state.producer - 1);
            }
            state = wait(&self.room, state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(UNPOISONED)
    }
}

const UNPOISONED: &str = "no code panics while it holds the state";

fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    condition.wait(state).expect(UNPOISONED)
}

fn at_least(field: &'static str, found: u64, least: u64) -> Result<(), DataError> {
    if found >= least {
        return Ok(());
    }
    Err(DataError::Spec { field, found: found.to_string(), expected: format!("at least {least}") })
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a panic: {}", text.unwrap_or_else(|| "without a message".to_owned()))
}
