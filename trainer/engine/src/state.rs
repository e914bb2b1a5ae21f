//! The state of a run as leaves: what a checkpoint holds, what a trace fingerprints and what a census counts.
//!
//! Sections: `params` and `optimizer` are values of the plan; `rng` is the seed, the stream registry, the next step and
//! the words that each stream would draw next; `data` is the position; `fingerprints` chains what each step reported.

use crate::buffers::Buffers;
use crate::data::DataState;
use crate::error::EngineError;
use library::tensor::{Dtype, Spec, Tensor};
use numerics::philox::Stream;
use plan::graph::Plan;

/// The running digest of everything that past steps reported, and the last report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    pub chain: [u8; 32],
    /// Bits of total, lm and z loss, gradient norm, learning rate and loss scale of the last step.
    pub last: [u32; 6],
}

impl Default for History {
    fn default() -> Self {
        Self { chain: *blake3::hash(b"lockstep history").as_bytes(), last: [0; 6] }
    }
}

impl History {
    /// Adds the report of a step.
    pub fn add(&mut self, step: u64, report: [u32; 6]) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.chain);
        hasher.update(&step.to_le_bytes());
        for bits in report {
            hasher.update(&bits.to_le_bytes());
        }
        self.chain = *hasher.finalize().as_bytes();
        self.last = report;
    }
}

fn words<T: bytemuck::Pod>(dtype: Dtype, values: &[T]) -> Tensor {
    Tensor::from_bytes(Spec::new(dtype, &[values.len()]), bytemuck::cast_slice(values))
}

/// Leaves that are no values of the plan, for a run whose next attempted step is `step`.
#[must_use]
pub fn host_leaves(plan: &Plan, seed: u64, step: u64, data: &DataState, history: &History) -> Vec<(String, Tensor)> {
    let streams: Vec<u32> = plan.streams.iter().map(|used| used.stream).collect();
    let mut next = vec![0; streams.len() * 4];
    for (words, stream) in next.chunks_mut(4).zip(&streams) {
        let step = u32::try_from(step).expect("a run has fewer than 2^32 steps");
        Stream { seed, step, stream: *stream }.fill_words(0, words);
    }
    let digest = |text: &str| words(Dtype::U8, text.as_bytes());
    let named = |name: &str, tensor| (name.to_owned(), tensor);
    vec![
        named("data/dataset_digest", digest(&data.dataset_digest)),
        named("data/epoch", words(Dtype::U64, &[data.epoch])),
        named("data/next_batch_digest", digest(&data.next_batch_digest)),
        named("data/packer_digest", digest(&data.packer_digest)),
        named("data/step", words(Dtype::U64, &[data.step])),
        named("data/tokenizer_digest", digest(&data.tokenizer_digest)),
        named("fingerprints/chain", words(Dtype::U8, &history.chain)),
        named("fingerprints/last", words(Dtype::U32, &history.last)),
        named("rng/next_words", words(Dtype::U32, &next)),
        named("rng/seed", words(Dtype::U64, &[seed])),
        named("rng/step", words(Dtype::U64, &[step])),
        named("rng/streams", words(Dtype::U32, &streams)),
    ]
}

/// All leaves, ascending by name.
#[must_use]
pub fn leaves(plan: &Plan, buffers: &Buffers, host: Vec<(String, Tensor)>) -> Vec<(String, Tensor)> {
    let mut leaves = host;
    for (leaf, value) in plan.state() {
        let view = buffers.view(plan, value);
        leaves.push((leaf.to_owned(), Tensor::from_bytes(view.spec.clone(), view.bytes)));
    }
    leaves.sort_by(|a, b| a.0.cmp(&b.0));
    leaves
}

/// What a loaded checkpoint says beside the plan's values.
#[derive(Clone, Debug)]
pub struct Restored {
    pub step: u64,
    pub data: DataState,
    pub history: History,
}

/// Writes the plan's values back into their buffers and reads the rest.
///
/// # Errors
/// When a leaf is missing or has another size; the loader has checked names, dtypes and shapes before.
pub fn restore(plan: &Plan, buffers: &mut Buffers, leaves: &[(String, Tensor)]) -> Result<Restored, EngineError> {
    let find = |name: &str| -> Result<&Tensor, EngineError> {
        let found = leaves.iter().find(|(leaf, _)| leaf == name).map(|(_, tensor)| tensor);
        found.ok_or_else(|| EngineError::Leaf { leaf: name.to_owned(), message: "it is missing".to_owned() })
    };
    for (leaf, value) in plan.state() {
        let tensor = find(leaf)?;
        buffers.view_mut(plan, value).bytes.copy_from_slice(tensor.bytes());
    }
    let number = |name: &str| find(name).map(|tensor| tensor.view().typed::<u64>()[0]);
    let text = |name: &str| find(name).map(|tensor| String::from_utf8_lossy(tensor.bytes()).into_owned());
    let mut history = History::default();
    history.chain.copy_from_slice(find("fingerprints/chain")?.bytes());
    history.last.copy_from_slice(find("fingerprints/last")?.view().typed::<u32>());
    Ok(Restored {
        step: number("rng/step")?,
        data: DataState {
            dataset_digest: text("data/dataset_digest")?,
            tokenizer_digest: text("data/tokenizer_digest")?,
            packer_digest: text("data/packer_digest")?,
            epoch: number("data/epoch")?,
            step: number("data/step")?,
            next_batch_digest: text("data/next_batch_digest")?,
        },
        history,
    })
}
