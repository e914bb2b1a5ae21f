use super::dataset;
use crate::data::{Batch, BatchSource, DataError, PrefetchOptions, Prefetcher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Turns of the scheduler that a slow consumer gives away: long enough for the workers to
/// fill their depth, and never needed for a result.
const SLOW_TURNS: usize = 200;

fn be_slow() {
    for _ in 0..SLOW_TURNS {
        std::thread::yield_now();
    }
}

#[test]
fn neither_depth_nor_workers_nor_a_slow_consumer_change_a_batch_or_the_position() {
    let data = Arc::new(dataset());
    let expected: Vec<Batch> = (3..20).map(|step| data.batch(step).expect("in range")).collect();
    for depth in 2..=5 {
        for workers in 1..=3 {
            let fresh = Arc::new(dataset());
            let options = PrefetchOptions { depth, workers };
            let mut prefetcher = Prefetcher::new(fresh, 3, options).expect("starts");
            for (index, batch) in expected.iter().enumerate() {
                if index % 3 == 0 {
                    be_slow();
                }
                let position = 3 + index as u64;
                assert_eq!(prefetcher.position(), position);
                let ahead = prefetcher.producer_position() - position;
                assert!(ahead <= depth, "{ahead} steps ahead at depth {depth}");
                assert_eq!(prefetcher.next_batch().expect("a batch"), *batch);
            }
            assert!((1..=5).contains(&prefetcher.peak_ahead()));
        }
    }
}

#[test]
fn the_producer_comes_to_rest_at_the_depth_and_the_position_stays() {
    let mut prefetcher =
        Prefetcher::new(Arc::new(dataset()), 0, PrefetchOptions { depth: 4, workers: 2 }).expect("starts");
    prefetcher.next_batch().expect("a batch");
    while prefetcher.producer_position() < 5 {
        std::thread::yield_now();
    }
    be_slow();
    let progress = prefetcher.progress();
    assert_eq!((progress.consumer, progress.producer, progress.depth), (1, 5, 4));
    assert_eq!(prefetcher.position(), 1);
}

/// Gives the batches of a data set, counts them, and fails at one step.
#[derive(Debug)]
struct Failing {
    data: crate::data::Dataset,
    at: u64,
    panic: bool,
    made: AtomicU64,
}

impl BatchSource for Failing {
    fn batch(&self, step: u64) -> Result<Batch, DataError> {
        self.made.fetch_add(1, Ordering::SeqCst);
        if step == self.at && self.panic {
            panic!("planted");
        }
        if step == self.at {
            return Err(DataError::HeldOutTooShort { asked: 2, available: 1 });
        }
        self.data.batch(step)
    }
}

fn failing(at: u64, panic: bool) -> Arc<Failing> {
    let made = AtomicU64::new(0);
    Arc::new(Failing { data: dataset(), at, panic, made })
}

#[test]
fn a_failure_in_a_worker_reaches_the_consumer_after_the_batches_before_it() {
    for (panic, said) in [(true, "a panic: planted"), (false, "the held-out slice is too short")] {
        for workers in 1..=2 {
            let options = PrefetchOptions { depth: 3, workers };
            let mut prefetcher = Prefetcher::new(failing(2, panic), 0, options).expect("starts");
            for step in 0..2 {
                assert_eq!(prefetcher.next_batch().expect("a batch").step, step);
            }
            for _ in 0..2 {
                match prefetcher.next_batch() {
                    Err(DataError::Prefetch { step: 2, cause }) => assert!(cause.contains(said)),
                    other => panic!("expected a failed prefetch, found {other:?}"),
                }
                assert_eq!(prefetcher.position(), 2);
            }
        }
    }
}

#[test]
fn dropping_joins_the_workers_whether_they_wait_or_work() {
    for turns in [0, SLOW_TURNS] {
        let source = failing(u64::MAX, false);
        let options = PrefetchOptions { depth: 3, workers: 2 };
        let prefetcher = Prefetcher::new(source.clone(), 0, options).expect("starts");
        for _ in 0..turns {
            std::thread::yield_now();
        }
        drop(prefetcher);
        // Only joined threads have given back their handle of the source.
        assert_eq!(Arc::strong_count(&source), 1);
        assert!(source.made.load(Ordering::SeqCst) <= 3);
    }
}

#[test]
fn a_depth_below_two_and_no_workers_are_refused() {
    for (depth, workers, named) in [(1, 1, "prefetch depth"), (2, 0, "prefetch workers")] {
        let options = PrefetchOptions { depth, workers };
        match Prefetcher::new(Arc::new(dataset()), 0, options) {
            Err(DataError::Spec { field, .. }) => assert_eq!(field, named),
            other => panic!("expected a refused option, found {other:?}"),
        }
    }
}
