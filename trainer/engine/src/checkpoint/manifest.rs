//! The manifest of a save.

use fingerprint::Fingerprint;
use library::tensor::{Dtype, Spec};
use serde::{Deserialize, Serialize};

/// File of a save that says what the save holds.
pub const MANIFEST: &str = "manifest.json";
/// Version of the manifest. A reader refuses one that it does not know.
pub const SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub schema: u32,
    /// Steps that the state has behind it.
    pub step: u64,
    pub recipe: String,
    pub recipe_digest: String,
    /// In the order of the state.
    pub leaves: Vec<ManifestLeaf>,
    /// In the order in which they were written.
    pub shards: Vec<ManifestShard>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestLeaf {
    pub name: String,
    pub section: String,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    /// `fp61x2` of the leaf's bytes, without the term of dtype and shape, as in a trace.
    pub fingerprint: Fingerprint,
    /// File that holds the leaf.
    pub shard: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestShard {
    pub file: String,
    pub bytes: u64,
    /// 64 lowercase hex digits.
    pub blake3: String,
}

impl ManifestLeaf {
    #[must_use]
    pub fn spec(&self) -> Spec {
        Spec::new(self.dtype, &self.shape)
    }
}

impl Manifest {
    /// The bytes of the file: equal manifests give equal bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        json(self)
    }
}

/// Indented JSON with a final line feed.
pub(super) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("plain data always serialises");
    bytes.push(b'\n');
    bytes
}

/// The schema of any version of a manifest or pointer; `None` when the bytes say none.
pub(super) fn schema_of(bytes: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: u32,
    }
    serde_json::from_slice::<Versioned>(bytes).ok().map(|versioned| versioned.schema)
}
