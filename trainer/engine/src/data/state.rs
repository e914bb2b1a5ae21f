//! The position of a run in its data, as a checkpoint keeps it.
//!
//! The state names what the position is a position *in* (three digests) and what comes next
//! (the digest of the next batch), so a resumed run proves that it goes on with the same
//! tokens before it trains on one of them.

use super::{DataError, Dataset};
use serde::{Deserialize, Serialize};

/// The section `data` of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataState {
    /// See [`Dataset::dataset_digest`].
    pub dataset_digest: String,
    /// See [`Dataset::tokenizer_digest`].
    pub tokenizer_digest: String,
    /// See [`Dataset::packer_digest`].
    pub packer_digest: String,
    /// Epoch of `step`.
    pub epoch: u64,
    /// The next data step.
    pub step: u64,
    /// Digest of the batch of `step`.
    pub next_batch_digest: String,
}

impl Dataset {
    /// The state of a run whose next data step is `next_step`.
    ///
    /// # Errors
    /// [`DataError::StepOutOfRange`].
    pub fn state(&self, next_step: u64) -> Result<DataState, DataError> {
        let batch = self.batch(next_step)?;
        Ok(DataState {
            dataset_digest: self.dataset_digest().to_owned(),
            tokenizer_digest: self.tokenizer_digest().to_owned(),
            packer_digest: self.packer_digest().to_owned(),
            epoch: batch.epoch,
            step: next_step,
            next_batch_digest: batch.digest,
        })
    }

    /// Recomputes `saved` from this data set and compares every field.
    ///
    /// # Errors
    /// [`DataError::State`] names the first field that differs.
    pub fn verify(&self, saved: &DataState) -> Result<(), DataError> {
        let other_recipe = "resume with the recipe that the checkpoint was written with";
        compare("dataset_digest", &saved.dataset_digest, self.dataset_digest(), other_recipe)?;
        let tokenizer = "restore the tokenizer that the checkpoint was written with";
        compare("tokenizer_digest", &saved.tokenizer_digest, self.tokenizer_digest(), tokenizer)?;
        compare("packer_digest", &saved.packer_digest, self.packer_digest(), other_recipe)?;
        let now = self.state(saved.step)?;
        let damaged = "the checkpoint is damaged: resume from an older one";
        compare("epoch", &saved.epoch.to_string(), &now.epoch.to_string(), damaged)?;
        compare("next_batch_digest", &saved.next_batch_digest, &now.next_batch_digest, damaged)
    }
}

fn compare(field: &'static str, saved: &str, here: &str, advice: &'static str) -> Result<(), DataError> {
    if saved == here {
        return Ok(());
    }
    Err(DataError::State { field, expected: saved.to_owned(), found: here.to_owned(), advice })
}
