//! Reads one save and says everything that is wrong with it.

use super::manifest::{MANIFEST, Manifest, ManifestShard, SCHEMA, schema_of};
use super::{CheckpointError, Leaf, Problem, State, shard};
use crate::storage::Source;
use contract::pointer::Pointer;
use fingerprint::Fingerprint;
use library::tensor::Tensor;
use std::collections::BTreeMap;
use std::path::Path;

/// How closely a save is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Manifest, and size and BLAKE3 of each shard.
    Digests,
    /// Also dtype, shape and fingerprint of each leaf; gives the state.
    Leaves,
}

#[derive(Clone, Debug, Default)]
pub struct Inspection {
    pub manifest: Option<Manifest>,
    /// In the order of the manifest; empty unless leaves were asked for.
    pub state: State,
    pub problems: Vec<Problem>,
}

/// Reads the save that `pointer` names.
///
/// # Errors
/// When a file cannot be read for another reason than that it is missing, or the manifest has an unknown schema.
pub fn inspect(
    source: &mut dyn Source,
    root: &Path,
    pointer: &Pointer,
    depth: Depth,
) -> Result<Inspection, CheckpointError> {
    let directory = &pointer.directory;
    let mut inspection = Inspection::default();
    let Some(entries) = source.list(directory)? else {
        inspection.problems.push(Problem::FolderMissing { directory: directory.clone() });
        return Ok(inspection);
    };
    let Some(bytes) = source.read(&format!("{directory}/{MANIFEST}"))? else {
        inspection.problems.push(Problem::FileMissing { file: MANIFEST.to_owned() });
        return Ok(inspection);
    };
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found != pointer.manifest_digest {
        let expected = pointer.manifest_digest.clone();
        inspection.problems.push(Problem::ManifestAltered { expected, found });
    } else if let Some(found) = schema_of(&bytes).filter(|found| *found != SCHEMA) {
        let path = root.join(directory).join(MANIFEST);
        return Err(CheckpointError::Schema { path, found, known: SCHEMA });
    }
    let manifest: Manifest = match serde_json::from_slice(&bytes) {
        Ok(manifest) => manifest,
        Err(error) => {
            inspection.problems.push(Problem::ManifestInvalid { message: error.to_string() });
            return Ok(inspection);
        }
    };
    if manifest.step != pointer.step {
        inspection.problems.push(Problem::OtherStep { expected: pointer.step, found: manifest.step });
    }
    for entry in entries {
        if entry.name != MANIFEST && !manifest.shards.iter().any(|shard| shard.file == entry.name) {
            inspection.problems.push(Problem::FileExtra { file: entry.name });
        }
    }
    let mut shards = BTreeMap::new();
    for shard in &manifest.shards {
        match read_shard(source, directory, shard, depth)? {
            Ok(tensors) => {
                shards.insert(shard.file.clone(), tensors);
            }
            Err(problem) => inspection.problems.push(problem),
        }
    }
    if depth == Depth::Leaves {
        gather(&manifest, shards, &mut inspection);
    }
    inspection.manifest = Some(manifest);
    Ok(inspection)
}

type Tensors = BTreeMap<String, Tensor>;

fn read_shard(
    source: &mut dyn Source,
    directory: &str,
    shard: &ManifestShard,
    depth: Depth,
) -> Result<Result<Tensors, Problem>, CheckpointError> {
    let file = shard.file.clone();
    let Some(bytes) = source.read(&format!("{directory}/{file}"))? else {
        return Ok(Err(Problem::FileMissing { file }));
    };
    if bytes.len() as u64 != shard.bytes {
        let (expected, found) = (shard.bytes, bytes.len() as u64);
        return Ok(Err(Problem::ShardTorn { file, expected, found }));
    }
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found != shard.blake3 {
        return Ok(Err(Problem::ShardAltered { file, expected: shard.blake3.clone(), found }));
    }
    Ok(match depth {
        Depth::Digests => Ok(Tensors::new()),
        Depth::Leaves => shard::decode(&file, &bytes),
    })
}

/// Takes the leaves of the manifest out of the shards. Leaves of a shard that could not be read are not named again.
fn gather(manifest: &Manifest, mut shards: BTreeMap<String, Tensors>, inspection: &mut Inspection) {
    for expected in &manifest.leaves {
        let (leaf, place) = (expected.name.clone(), expected.shard.clone());
        let Some(tensor) = shards.get_mut(&expected.shard).map(|tensors| tensors.remove(&expected.name)) else {
            if !manifest.shards.iter().any(|shard| shard.file == expected.shard) {
                inspection.problems.push(Problem::LeafMissing { leaf, place });
            }
            continue;
        };
        let Some(tensor) = tensor else {
            inspection.problems.push(Problem::LeafMissing { leaf, place });
            continue;
        };
        let found = Fingerprint::of_bytes(tensor.bytes());
        if tensor.spec != expected.spec() {
            let (expected, found) = (expected.spec(), tensor.spec.clone());
            inspection.problems.push(Problem::LeafSpec { leaf, expected, found, place });
        } else if found != expected.fingerprint {
            let (expected, found) = (expected.fingerprint.to_string(), found.to_string());
            inspection.problems.push(Problem::LeafAltered { leaf, expected, found, place });
        }
        inspection.state.leaves.push(Leaf { name: expected.name.clone(), tensor });
    }
    for (place, tensors) in shards {
        for leaf in tensors.into_keys() {
            inspection.problems.push(Problem::LeafExtra { leaf, place: place.clone() });
        }
    }
}
