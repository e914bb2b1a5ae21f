//! Whole runs in this process, through `engine::run`, on parts that need little time.

#![forbid(unsafe_code)]

mod observe;
mod perturbed;
mod reference;
mod resume;
mod shadow;

use contract::SCHEMA;
use contract::execution::{Observe, ObserveLevel};
use contract::record::{Body, Record};
use contract::request::{Part, Request, StorageRequest};
use contract::run::CountersFile;
use contract::trace::{Completeness, TraceReader};
use engine::Policies;
use engine::progress::Quiet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for the runs of one test.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn request(&self, run: &str, part: &str) -> Request {
        Request {
            schema: SCHEMA,
            recipe: "dense-ieee".to_owned(),
            part: part.parse::<Part>().expect("a part"),
            run_directory: self.0.path().join(run),
            checkpoint_directory: None,
            set: [("checkpoint.every".to_owned(), 1.into())].into(),
            observe: Observe::default(),
            perturbation: None,
            control_socket: None,
            storage: StorageRequest::default(),
            stop_after: None,
            check: false,
            shadow: false,
            nonce: run.to_owned(),
        }
    }

    fn checkpoints(&self) -> Option<PathBuf> {
        Some(self.0.path().join("checkpoints"))
    }
}

fn run(request: &Request, resume: bool, policies: &Policies) -> PathBuf {
    engine::run::run(request, resume, policies, &mut Quiet).expect("the run ends by itself");
    request.run_directory.clone()
}

fn plain(request: &Request) -> PathBuf {
    run(request, false, &Policies::standard())
}

fn records(run: &Path) -> Vec<Record> {
    TraceReader::open(run, 0, Completeness::Complete).and_then(|mut reader| reader.records()).expect("a whole trace")
}

fn observed(level: ObserveLevel) -> Observe {
    Observe { level, steps: None }
}

/// Bodies of the state records of one step, as they stand in `phase`.
fn state(records: &[Record], step: u64, phase: &str) -> Vec<Body> {
    let of_step = |record: &&Record| record.step == step && record.phase == phase;
    let states = records.iter().filter(of_step).map(|record| record.body.clone());
    states.filter(|body| matches!(body, Body::State { .. })).collect()
}

fn counter(run: &Path, name: &str) -> u64 {
    let text = std::fs::read_to_string(run.join("counters.json")).expect("a complete run has counters");
    let file: CountersFile = serde_json::from_str(&text).expect("counters");
    file.counters[name]
}
