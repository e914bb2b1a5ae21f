//! Walks a run step by step, all ranks together, one step in memory at a time.

use crate::evidence::{EvidenceError, Run, hollow};
use contract::record::{Body, Record, Role};
use std::collections::BTreeMap;
use std::fmt;

/// Phase of the state records that a run writes right after it has loaded a checkpoint.
pub const RESTORED: &str = "restored";

/// Phase of evaluation. How often it runs must not matter, so its scalars may be absent on one side of a pair.
pub const EVAL: &str = "eval";

/// Name of something that has a value in a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Scalar(String),
    State(String),
    /// Only in kernel parts: the case, the tensor, its role and how often the three came before.
    Tensor(String, String, Role, u64),
}

impl Key {
    pub fn name(&self) -> &str {
        match self {
            Self::Scalar(name) | Self::State(name) | Self::Tensor(_, name, ..) => name,
        }
    }
}

/// A value, with what describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub dtype: String,
    pub shape: Vec<u64>,
    /// Fingerprint, or hexadecimal bits.
    pub bits: String,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype.as_str() {
            "" => f.write_str(&self.bits),
            dtype => write!(f, "{dtype} {} {}", shape_text(&self.shape), self.bits),
        }
    }
}

/// `[3,5]`.
pub fn shape_text(shape: &[u64]) -> String {
    let dimensions: Vec<_> = shape.iter().map(u64::to_string).collect();
    format!("[{}]", dimensions.join(","))
}

/// All records of one step, and the values among them.
pub struct Step {
    pub step: u64,
    /// Rank and record, rank by rank, each in its order of execution.
    pub records: Vec<(u32, Record)>,
    /// The last value of each name, with the place of its record in `records`.
    pub items: BTreeMap<Key, (Value, usize)>,
    /// Values of the records of phase [`RESTORED`].
    pub restored: BTreeMap<Key, (Value, usize)>,
    /// Steps that the `end` record names.
    pub end: Option<u64>,
}

impl Step {
    /// True when something of the step ran: not only an `end` or a restored state.
    pub fn trained(&self) -> bool {
        self.records.iter().any(|(_, record)| record.phase != RESTORED && !matches!(record.body, Body::End { .. }))
    }
}

/// A cursor over the steps of a run.
pub struct Steps<'a> {
    run: &'a mut Run,
    next: Vec<usize>,
    tensors: bool,
    /// Frames that were unpacked so far.
    pub unpacked: u64,
}

impl<'a> Steps<'a> {
    /// `tensors`: collect the values of tensors too, as kernel parts need.
    pub fn new(run: &'a mut Run, tensors: bool) -> Self {
        let next = vec![0; run.ranks.len()];
        Self { run, next, tensors, unpacked: 0 }
    }

    /// Passes over the frames before `step` without unpacking them.
    pub fn seek(&mut self, step: u64) {
        for (reader, at) in self.run.ranks.iter().zip(&mut self.next) {
            *at += reader.entries()[*at..].iter().take_while(|entry| entry.step < step).count();
        }
    }

    /// The next step, in ascending order.
    pub fn next_step(&mut self) -> Result<Option<Step>, EvidenceError> {
        let waiting = |(rank, at): (usize, &usize)| self.run.ranks[rank].entries().get(*at).map(|entry| entry.step);
        let Some(step) = self.next.iter().enumerate().filter_map(waiting).min() else {
            return Ok(None);
        };
        let mut records = Vec::new();
        for (rank, at) in self.next.iter_mut().enumerate() {
            while self.run.ranks[rank].entries().get(*at).is_some_and(|entry| entry.step == step) {
                let frame = self.run.ranks[rank].frame(*at)?;
                records.extend(frame.records.into_iter().map(|record| (rank as u32, record)));
                *at += 1;
                self.unpacked += 1;
            }
            if self.run.ranks[rank].entries().get(*at).is_some_and(|entry| entry.step < step) {
                return Err(hollow(&self.run.directory, format!("rank {rank} goes back behind step {step}")));
            }
        }
        self.collect(step, records).map(Some)
    }

    fn collect(&self, step: u64, records: Vec<(u32, Record)>) -> Result<Step, EvidenceError> {
        let (mut items, mut restored, mut end) = (BTreeMap::new(), BTreeMap::new(), None);
        let mut seen: BTreeMap<(String, String, Role), u64> = BTreeMap::new();
        let mut owners: BTreeMap<(Key, String), (u32, Value)> = BTreeMap::new();
        for (place, (rank, record)) in records.iter().enumerate() {
            if let Body::End { steps } = record.body {
                end = Some(steps);
            }
            let Some((key, value)) = item(record, self.tensors.then_some(&mut seen)) else { continue };
            // State may be recorded after each phase; a scalar has one value in a step.
            let phase = if matches!(key, Key::State(_)) { record.phase.clone() } else { String::new() };
            let owner = owners.entry((key.clone(), phase)).or_insert_with(|| (*rank, value.clone()));
            if owner.1 != value {
                let (name, other) = (key.name(), owner.0);
                let message = if other == *rank {
                    format!("`{name}` has two values at step {step}")
                } else {
                    format!("ranks {other} and {rank} disagree on `{name}` at step {step}")
                };
                return Err(hollow(&self.run.directory, message));
            }
            let target = if record.phase == RESTORED { &mut restored } else { &mut items };
            target.insert(key, (value, place));
        }
        Ok(Step { step, records, items, restored, end })
    }
}

/// Name and value of a record, if it has one that belongs to the run and not to the plan.
pub fn item(record: &Record, seen: Option<&mut BTreeMap<(String, String, Role), u64>>) -> Option<(Key, Value)> {
    match &record.body {
        Body::State { leaf, dtype, shape, fingerprint } => {
            let value = Value { dtype: dtype.clone(), shape: shape.clone(), bits: fingerprint.to_string() };
            Some((Key::State(leaf.clone()), value))
        }
        Body::Scalar { name, bits } => {
            let value = Value { dtype: String::new(), shape: Vec::new(), bits: bits.clone() };
            let eval = record.phase == EVAL && !name.starts_with(EVAL);
            Some((Key::Scalar(if eval { format!("{EVAL}.{name}") } else { name.clone() }), value))
        }
        Body::Tensor(tensor) => {
            let count = seen?.entry((record.phase.clone(), tensor.tensor.clone(), tensor.role)).or_default();
            let key = Key::Tensor(record.phase.clone(), tensor.tensor.clone(), tensor.role, *count);
            *count += 1;
            let (dtype, shape) = (tensor.dtype.clone(), tensor.shape.clone());
            Some((key, Value { dtype, shape, bits: tensor.fingerprint.to_string() }))
        }
        Body::Event { .. } | Body::Check { .. } | Body::End { .. } => None,
    }
}
