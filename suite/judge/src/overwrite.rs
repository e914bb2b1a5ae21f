//! Overwrites inside one run: a buffer whose bits at the consumer are not those at its producer.
//!
//! No plan asks for that, so it is a race or an early reuse, even when two runs agree on it. It is only visible in
//! runs that recorded at level `op`; it is looked for step by step, so memory stays flat, and a producer in an earlier
//! step than its consumer is not matched.

use crate::evidence::{EvidenceError, Run};
use crate::steps::Steps;
use contract::record::{Body, Record, Role, TensorRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A buffer that changed after its producer wrote it and before its consumer read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overwrite {
    pub step: u64,
    pub rank: u32,
    pub tensor: String,
    pub version: u64,
    pub producer: String,
    pub consumer: String,
}

/// All overwrites of a complete run, in order of step, rank and execution.
///
/// # Errors
/// When the run is not whole.
pub fn overwrites(directory: &Path) -> Result<Vec<Overwrite>, EvidenceError> {
    let mut run = Run::open(directory)?;
    let mut steps = Steps::new(&mut run, false);
    let mut all = Vec::new();
    while let Some(step) = steps.next_step()? {
        let mut producers: BTreeMap<(u32, &str, u64), &TensorRecord> = BTreeMap::new();
        for (rank, record) in &step.records {
            let Body::Tensor(tensor) = &record.body else { continue };
            let key = (*rank, tensor.tensor.as_str(), tensor.version);
            match tensor.role {
                Role::Out => {
                    producers.insert(key, tensor);
                }
                Role::In => {
                    all.extend(producers.get(&key).and_then(|producer| overwrite(producer, tensor, record, *rank)));
                }
            }
        }
    }
    Ok(all)
}

/// The overwrite that the record at `place` shows, if it does.
pub(crate) fn at(records: &[&Record], place: usize, rank: u32) -> Option<Overwrite> {
    let record = records[place];
    let Body::Tensor(consumer) = &record.body else { return None };
    if consumer.role != Role::In {
        return None;
    }
    let producer = records[..place].iter().rev().find_map(|record| match &record.body {
        Body::Tensor(tensor) if is_producer(tensor, consumer) => Some(tensor),
        _ => None,
    })?;
    overwrite(producer, consumer, record, rank)
}

fn is_producer(tensor: &TensorRecord, consumer: &TensorRecord) -> bool {
    tensor.role == Role::Out && tensor.tensor == consumer.tensor && tensor.version == consumer.version
}

fn overwrite(producer: &TensorRecord, consumer: &TensorRecord, record: &Record, rank: u32) -> Option<Overwrite> {
    (producer.fingerprint != consumer.fingerprint).then(|| Overwrite {
        step: record.step,
        rank,
        tensor: consumer.tensor.clone(),
        version: consumer.version,
        producer: producer.node.clone(),
        consumer: consumer.node.clone(),
    })
}
