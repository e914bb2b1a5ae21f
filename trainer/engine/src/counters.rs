//! What a run really did. The judge asks for these before it believes that a pair differed.

use contract::SCHEMA;
use contract::run::CountersFile;
use std::collections::BTreeMap;

/// Counters that every run reports, also when nothing of the kind happened.
const ALWAYS: &[&str] = &[
    "allocations_scattered",
    "calls",
    "compositions",
    "evaluations",
    "fused_calls",
    "leaves_reduced",
    "log_lines",
    "micro_batches",
    "nodes_recomputed",
    "poisoned_bytes",
    "reference_calls",
    "saves",
    "saves_asynchronous",
    "steps",
    "steps_skipped",
];

#[derive(Clone, Debug)]
pub struct Counters {
    values: BTreeMap<&'static str, u64>,
}

impl Default for Counters {
    fn default() -> Self {
        Self { values: ALWAYS.iter().map(|name| (*name, 0)).collect() }
    }
}

impl Counters {
    pub fn add(&mut self, name: &'static str, amount: u64) {
        *self.values.entry(name).or_default() += amount;
    }

    pub fn set(&mut self, name: &'static str, value: u64) {
        self.values.insert(name, value);
    }

    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        self.values.get(name).copied().unwrap_or(0)
    }

    #[must_use]
    pub fn file(&self) -> CountersFile {
        let counters = self.values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        CountersFile { schema: SCHEMA, counters }
    }
}
