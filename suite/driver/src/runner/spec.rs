//! What run to make.

use contract::SCHEMA;
use contract::execution::Observe;
use contract::request::{Part, Perturbation, Request, StorageRequest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// From the start, or from the newest checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    Train,
    Resume,
}

/// One run. The fields that a trainer sees are those of [`Request`].
#[derive(Clone, Debug)]
pub struct RunSpec {
    pub recipe: String,
    pub part: Part,
    pub start: Start,
    /// Folder of the run; absolute, must not hold a run yet.
    pub directory: PathBuf,
    /// Where checkpoints are written and found; absolute.
    pub checkpoints: Option<PathBuf>,
    pub set: BTreeMap<String, serde_json::Value>,
    pub observe: Observe,
    pub perturbation: Option<Perturbation>,
    pub storage: StorageRequest,
    pub stop_after: Option<u64>,
    /// Compare with the independent reference as well.
    pub check: bool,
    /// Carry the plan out in f64 as well.
    pub shadow: bool,
    /// Longest time of the run; the runner's own when `None`.
    pub timeout: Option<Duration>,
}

impl RunSpec {
    /// A plain run from the start, without checkpoints.
    #[must_use]
    pub fn new(recipe: &str, part: Part, directory: &Path) -> Self {
        Self {
            recipe: recipe.to_owned(),
            part,
            start: Start::Train,
            directory: directory.to_owned(),
            checkpoints: None,
            set: BTreeMap::new(),
            observe: Observe::default(),
            perturbation: None,
            storage: StorageRequest::default(),
            stop_after: None,
            check: false,
            shadow: false,
            timeout: None,
        }
    }

    /// The same run in another folder.
    #[must_use]
    pub fn at(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..self.clone() }
    }

    pub(super) fn request(&self, nonce: String, control_socket: Option<PathBuf>) -> Request {
        Request {
            schema: SCHEMA,
            recipe: self.recipe.clone(),
            part: self.part.clone(),
            run_directory: self.directory.join("trace"),
            checkpoint_directory: self.checkpoints.clone(),
            set: self.set.clone(),
            observe: self.observe.clone(),
            perturbation: self.perturbation,
            control_socket,
            storage: self.storage.clone(),
            stop_after: self.stop_after,
            check: self.check,
            shadow: self.shadow,
            nonce,
        }
    }
}
