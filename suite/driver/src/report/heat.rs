//! Which steps of which rank are equal in two runs: the map that shows at a glance where a difference begins and how
//! far it reaches.

use contract::trace::{Completeness, TraceReader, records_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One step of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    Equal,
    Different,
    /// Recorded in one run only.
    OneSided,
}

/// One row a rank, one cell a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeatMap {
    pub steps: Vec<u64>,
    pub ranks: Vec<Vec<Cell>>,
}

/// Ranks and steps that a map shows at most; a larger one is cut, since nobody can look at it.
const RANKS: u32 = 256;
const STEPS: usize = 2000;

impl HeatMap {
    /// Compares the frames of two runs by digest. `None` when a trace cannot be read.
    #[must_use]
    pub fn of(left: &Path, right: &Path) -> Option<Self> {
        let mut ranks = Vec::new();
        for rank in (0..RANKS).take_while(|rank| records_path(left, *rank).exists()) {
            ranks.push((digests(left, rank)?, digests(right, rank)?));
        }
        let mut steps: Vec<u64> =
            ranks.iter().flat_map(|(left, right)| left.keys().chain(right.keys())).copied().collect();
        steps.sort_unstable();
        steps.dedup();
        steps.truncate(STEPS);
        let cell = |left: Option<&Vec<String>>, right: Option<&Vec<String>>| match (left, right) {
            (Some(left), Some(right)) if left == right => Cell::Equal,
            (Some(_), Some(_)) => Cell::Different,
            _ => Cell::OneSided,
        };
        let row = |(left, right): &(Digests, Digests)| {
            steps.iter().map(|step| cell(left.get(step), right.get(step))).collect()
        };
        let ranks: Vec<Vec<Cell>> = ranks.iter().map(row).collect();
        (!ranks.is_empty() && !steps.is_empty()).then_some(Self { steps, ranks })
    }
}

type Digests = BTreeMap<u64, Vec<String>>;

fn digests(directory: &Path, rank: u32) -> Option<Digests> {
    let reader = TraceReader::open(directory, rank, Completeness::Killed).ok()?;
    let mut digests = Digests::new();
    for entry in reader.entries() {
        digests.entry(entry.step).or_default().push(entry.digest.clone());
    }
    Some(digests)
}
