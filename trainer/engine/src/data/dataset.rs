//! A corpus slice that deals out batches by step.
//!
//! Every batch is a pure function of (dataset digest, tokenizer digest, packer digest, step):
//! steps may be asked for in any order, from any thread. Epochs follow each other without end;
//! their numbers of steps can differ by a little, since packing depends on the order.

use super::batch::{build_row, deal, finish, padding_row};
use super::encode::{Encoded, Encoder};
use super::order::EpochOrder;
use super::pack::{RowPlan, WINDOW_PIECES, pack};
use super::{Batch, DataError, DataSpec, DocumentSlice, Row, assets, corpus};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// Steps are the third counter word of Philox, so they stay below this.
pub const STEP_LIMIT: u64 = 1 << 32;

/// Packed epochs that are kept: the current one and, near its end, the next one.
const EPOCHS_KEPT: usize = 2;

/// Where a data step lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Data step, counted from 0 over all epochs.
    pub step: u64,
    pub epoch: u64,
    pub step_in_epoch: u64,
    pub steps_in_epoch: u64,
}

/// Documents, encoded, with the rules to deal them out.
#[derive(Debug)]
pub struct Dataset {
    spec: DataSpec,
    encoder: Arc<Encoder>,
    encoded: Encoded,
    dataset_digest: String,
    packer_digest: String,
    epochs: Mutex<Epochs>,
}

/// What is known of the epochs so far. A cache: forgetting it changes no batch.
#[derive(Debug)]
struct Epochs {
    /// First step of epochs 0, 1, …; the last entry is where the first unknown epoch starts.
    first_steps: Vec<u64>,
    recent: Vec<(u64, Arc<Vec<RowPlan>>)>,
}

impl Dataset {
    /// Reads, checks, splits and encodes the corpus of `spec`.
    ///
    /// # Errors
    /// Every variant of [`DataError`] but those of state, held-out rows and prefetch.
    pub fn open(spec: &DataSpec) -> Result<Self, DataError> {
        spec.validate()?;
        let encoder = Encoder::open(&spec.tokenizer, spec.vocabulary)?;
        Self::encoded_by(Arc::new(encoder), spec)
    }

    /// Another text with the tokenizer of this one, which takes longer to build than a small text takes to encode.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn beside(&self, corpus: &str, documents: DocumentSlice) -> Result<Self, DataError> {
        let spec = DataSpec { corpus: corpus.to_owned(), documents, ..self.spec.clone() };
        spec.validate()?;
        Self::encoded_by(Arc::clone(&self.encoder), &spec)
    }

    fn encoded_by(encoder: Arc<Encoder>, spec: &DataSpec) -> Result<Self, DataError> {
        let name = spec.corpus.as_str();
        let bytes = assets::corpus(name)?;
        let text = corpus::decode(name, &bytes)?;
        let documents = corpus::split_documents(text);
        let documents = corpus::select(name, text, documents, &spec.documents)?;
        let dataset_digest = dataset_digest(text, &documents);
        let encoded = encoder.encode(name, text, &documents)?;
        Ok(Self {
            spec: spec.clone(),
            encoder,
            encoded,
            dataset_digest,
            packer_digest: packer_digest(spec),
            epochs: Mutex::new(Epochs { first_steps: vec![0], recent: Vec::new() }),
        })
    }

    /// The specification it was opened with.
    #[must_use]
    pub fn spec(&self) -> &DataSpec {
        &self.spec
    }

    /// Documents in the slice.
    #[must_use]
    pub fn document_count(&self) -> usize {
        self.encoded.document_count()
    }

    /// Token ids of document `index`, in file order, its separator included.
    #[must_use]
    pub fn document(&self, index: usize) -> &[u32] {
        self.encoded.document(index)
    }

    /// Tokens of all documents, separators included.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.encoded.tokens.len()
    }

    /// Id of the separator.
    #[must_use]
    pub fn end_token(&self) -> u32 {
        self.encoder.end
    }

    /// Id of padding.
    #[must_use]
    pub fn pad_token(&self) -> u32 {
        self.encoder.pad
    }

    /// BLAKE3 of the lengths and texts of the chosen documents, as hex.
    #[must_use]
    pub fn dataset_digest(&self) -> &str {
        &self.dataset_digest
    }

    /// BLAKE3 of the tokenizer file, as hex.
    #[must_use]
    pub fn tokenizer_digest(&self) -> &str {
        &self.encoder.digest
    }

    /// BLAKE3 of the version and parameters of order, packing and dealing, as hex.
    #[must_use]
    pub fn packer_digest(&self) -> &str {
        &self.packer_digest
    }

    /// Text of `ids`, special tokens left out.
    ///
    /// # Errors
    /// [`DataError::BadTokenizer`] when the tokenizer cannot decode.
    pub fn decode(&self, ids: &[u32]) -> Result<String, DataError> {
        self.encoder.decode(ids)
    }

    /// All tokens of the slice, in file order.
    pub(super) fn tokens(&self) -> &[u32] {
        &self.encoded.tokens
    }

    /// The epoch of a data step, and where in the epoch it lies.
    ///
    /// # Errors
    /// [`DataError::StepOutOfRange`] from [`STEP_LIMIT`] on.
    pub fn place(&self, step: u64) -> Result<Place, DataError> {
        if step >= STEP_LIMIT {
            let limit = STEP_LIMIT;
            return Err(DataError::StepOutOfRange { step, limit });
        }
        let mut epochs = self.lock();
        while epochs.next_first_step() <= step {
            let epoch = epochs.first_steps.len() as u64 - 1;
            let steps = self.steps_of(&self.rows_of(&mut epochs, epoch));
            let next = epochs.next_first_step() + steps;
            epochs.first_steps.push(next);
        }
        let index = epochs.first_steps.partition_point(|&first| first <= step) - 1;
        let (first, next) = (epochs.first_steps[index], epochs.first_steps[index + 1]);
        Ok(Place { step, epoch: index as u64, step_in_epoch: step - first, steps_in_epoch: next - first })
    }

    /// Packed rows of an epoch, without the padding rows of its last step.
    #[must_use]
    pub fn row_count(&self, epoch: u64) -> usize {
        self.rows_of(&mut self.lock(), epoch).len()
    }

    /// Steps of an epoch.
    #[must_use]
    pub fn steps_in_epoch(&self, epoch: u64) -> u64 {
        self.steps_of(&self.rows_of(&mut self.lock(), epoch))
    }

    /// The batch of a data step.
    ///
    /// # Errors
    /// [`DataError::StepOutOfRange`].
    pub fn batch(&self, step: u64) -> Result<Batch, DataError> {
        let place = self.place(step)?;
        let plans = self.rows_of(&mut self.lock(), place.epoch);
        let rows = self.step_rows(&plans, place.step_in_epoch);
        Ok(finish(step, place.epoch, deal(rows, self.spec.leaves)))
    }

    /// The batches of a held-out evaluation: the first ⌈tokens / S⌉ rows of epoch 0, the last
    /// batch filled with padding rows. The same rows at every call.
    ///
    /// # Errors
    /// [`DataError::HeldOutTooShort`] when the slice has fewer rows.
    pub fn evaluation(&self, tokens: usize) -> Result<Vec<Batch>, DataError> {
        let asked = tokens.div_ceil(self.spec.row_tokens);
        let plans = self.rows_of(&mut self.lock(), 0);
        let Some(plans) = plans.get(..asked) else {
            let available = plans.len();
            return Err(DataError::HeldOutTooShort { asked, available });
        };
        let batch = |step| {
            let rows = self.step_rows(plans, step);
            finish(step, 0, deal(rows, self.spec.leaves))
        };
        Ok((0..self.steps_of(plans)).map(batch).collect())
    }

    fn step_rows(&self, plans: &[RowPlan], step_in_epoch: u64) -> Vec<Row> {
        let per_step = self.spec.rows_per_step as u64;
        let (row_tokens, pad) = (self.spec.row_tokens, self.encoder.pad);
        let first = step_in_epoch * per_step;
        let row = |id: u64| match usize::try_from(id).ok().and_then(|id| plans.get(id)) {
            Some(plan) => build_row(id, plan, row_tokens, pad, |document| self.document(document)),
            None => padding_row(id, row_tokens, pad),
        };
        (first..first + per_step).map(row).collect()
    }

    fn steps_of(&self, plans: &[RowPlan]) -> u64 {
        plans.len().div_ceil(self.spec.rows_per_step) as u64
    }

    fn rows_of(&self, epochs: &mut Epochs, epoch: u64) -> Arc<Vec<RowPlan>> {
        if let Some((_, rows)) = epochs.recent.iter().find(|(known, _)| *known == epoch) {
            return Arc::clone(rows);
        }
        let number = u32::try_from(epoch).expect("an epoch has a step, and steps are below 2^32");
        let order = EpochOrder::new(self.spec.seed, number, self.document_count());
        let documents = (0..self.document_count()).map(|position| {
            let document = order.document(position);
            (document, self.document(document).len())
        });
        let rows = Arc::new(pack(documents, self.spec.row_tokens));
        if epochs.recent.len() == EPOCHS_KEPT {
            epochs.recent.remove(0);
        }
        epochs.recent.push((epoch, Arc::clone(&rows)));
        rows
    }

    fn lock(&self) -> MutexGuard<'_, Epochs> {
        let reason = "packing does not panic, so no thread died with the lock";
        self.epochs.lock().expect(reason)
    }
}

impl Epochs {
    fn next_first_step(&self) -> u64 {
        *self.first_steps.last().expect("starts with epoch 0")
    }
}

/// Documents are framed by their lengths, so that text cannot move from one to the next unseen.
fn dataset_digest(text: &str, documents: &[Range<usize>]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"dataset.v1");
    for range in documents {
        hasher.update(&(range.len() as u64).to_le_bytes());
        hasher.update(&text.as_bytes()[range.clone()]);
    }
    hasher.finalize().to_hex().to_string()
}

fn packer_digest(spec: &DataSpec) -> String {
    let rules = format!(
        "order=feistel8.philox.v1 pack=first_fit.v1 window={WINDOW_PIECES} deal=snake_len2.v1 \
         row_tokens={} rows_per_step={} leaves={} seed={}",
        spec.row_tokens, spec.rows_per_step, spec.leaves, spec.seed
    );
    blake3::hash(rules.as_bytes()).to_hex().to_string()
}
