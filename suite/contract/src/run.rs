//! The JSON files of a trace directory that stand beside the records.

use crate::request::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `run.json`: proof that a run is real and says which one it is. Written before the first record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    pub schema: u32,
    /// Repeats the nonce of the request.
    pub nonce: String,
    pub pid: u32,
    /// Start of the run, nanoseconds since the Unix epoch.
    pub started_ns: u64,
    /// Identifies the trainer's executable: BLAKE3 of what it loads into memory, debug information left out. Anything else
    /// is named: `build-id:...`, `sha256:...`.
    pub binary_digest: String,
    pub recipe: String,
    pub recipe_digest: String,
    pub part: Part,
    pub ranks: u32,
}

/// `env.json`: where the run was made. Shown next to differences, never compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvFile {
    pub schema: u32,
    pub values: BTreeMap<String, String>,
}

/// `counters.json`: what the run really did, so that a pair which did not differ can be told from one that agreed.
/// Written at the end of a complete run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountersFile {
    pub schema: u32,
    pub counters: BTreeMap<String, u64>,
}
