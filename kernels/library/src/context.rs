//! What a kernel runs in: the worker threads of its rank and the instruction set that it may use.
//!
//! The pool promises nothing about the order in which tasks run or end. A perturbed pool makes use of that: it runs
//! tasks in a seeded order and delays some, so that a kernel which depends on the order is seen to depend on it.

use numerics::philox::philox4x32_10;
use numerics::simd::Level;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// One rank's executor.
#[derive(Debug)]
pub struct Context {
    pub pool: Pool,
    pub level: Level,
}

impl Context {
    #[must_use]
    pub fn new(threads: usize, level: Level) -> Self {
        Self { pool: Pool::new(threads, None), level }
    }
}

/// Worker threads, of which the calling thread is one. Tasks of one call own disjoint outputs.
#[derive(Debug)]
pub struct Pool {
    threads: usize,
    /// All but the calling thread.
    workers: rayon::ThreadPool,
    order: Option<u64>,
    delays_from: Option<u64>,
    calls: AtomicU64,
    tasks: AtomicU64,
    reordered: AtomicU64,
    delays: AtomicU64,
}

/// What a pool has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounters {
    pub tasks: u64,
    pub tasks_reordered: u64,
    pub delays_injected: u64,
}

impl Pool {
    /// A pool of `threads` workers; with a `perturbation` seed, tasks run in a seeded order and some are delayed.
    ///
    /// # Panics
    /// When the operating system refuses to start a thread.
    #[must_use]
    pub fn new(threads: usize, perturbation: Option<u64>) -> Self {
        Self::perturbed(threads, perturbation, perturbation)
    }

    /// A pool whose two perturbations have seeds of their own: the order in which tasks start, and delays.
    ///
    /// # Panics
    /// When the operating system refuses to start a thread.
    #[must_use]
    pub fn perturbed(threads: usize, order: Option<u64>, delays: Option<u64>) -> Self {
        let threads = threads.max(1);
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads((threads - 1).max(1))
            .thread_name(|index| format!("kernel-{}", index + 1))
            .build()
            .expect("the operating system starts the worker threads");
        let zero = AtomicU64::default;
        Self {
            threads,
            workers,
            order,
            delays_from: delays,
            calls: zero(),
            tasks: zero(),
            reordered: zero(),
            delays: zero(),
        }
    }

    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    #[must_use]
    pub fn counters(&self) -> PoolCounters {
        PoolCounters {
            tasks: self.tasks.load(Ordering::Relaxed),
            tasks_reordered: self.reordered.load(Ordering::Relaxed),
            delays_injected: self.delays.load(Ordering::Relaxed),
        }
    }

    /// Runs `work(index, task)` once for each task and returns when all have ended.
    pub fn run<T: Send>(&self, tasks: Vec<T>, work: impl Fn(usize, T) + Sync) {
        self.tasks.fetch_add(tasks.len() as u64, Ordering::Relaxed);
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let mut queue: Vec<(usize, T)> = tasks.into_iter().enumerate().collect();
        if let Some(seed) = self.order {
            self.shuffle(&mut queue, seed, call);
        }
        let run = |(index, task): (usize, T)| {
            if let Some(seed) = self.delays_from {
                self.delay(seed, call, index);
            }
            work(index, task);
        };
        let helpers = (self.threads - 1).min(queue.len().saturating_sub(1));
        if helpers == 0 {
            queue.into_iter().for_each(run);
            return;
        }
        let queue = Mutex::new(queue.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let drain = || {
            while let Some(item) = next() {
                run(item);
            }
        };
        self.workers.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| drain());
            }
            drain();
        });
    }

    fn shuffle<T>(&self, queue: &mut [(usize, T)], seed: u64, call: u64) {
        for last in (1..queue.len()).rev() {
            let word = draw(seed, call, last as u64, 0);
            queue.swap(last, word as usize % (last + 1));
        }
        let moved = queue.iter().enumerate().filter(|(at, (index, _))| at != index).count();
        self.reordered.fetch_add(moved as u64, Ordering::Relaxed);
    }

    /// One task in eight gives its core away for a while.
    fn delay(&self, seed: u64, call: u64, index: usize) {
        let word = draw(seed, call, index as u64, 1);
        if word.is_multiple_of(8) {
            self.delays.fetch_add(1, Ordering::Relaxed);
            for _ in 0..(word >> 24) {
                std::thread::yield_now();
            }
        }
    }
}

fn draw(seed: u64, call: u64, index: u64, purpose: u32) -> u32 {
    let counter = [index as u32, call as u32, (call >> 32) as u32, purpose];
    philox4x32_10(counter, [seed as u32, (seed >> 32) as u32])[0]
}
