mod crash;
mod damage;
mod injected;
mod policy;
mod reports;
mod round_trip;
mod saver;

use super::{
    CheckpointError, ExactState, Expectations, Leaf, Loaded, MANIFEST, Manifest, Recipe, SaveOptions, State, load, save,
};
use crate::control::Control;
use crate::storage::Storage;
use contract::pointer::{LATEST, Pointer};
use contract::request::{StorageErrorKind, StorageFailure, StorageRequest};
use contract::storage::crash::Tree;
use library::tensor::{Dtype, Spec, Tensor};
use std::path::{Path, PathBuf};

/// A run's folders.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = folder();
        std::fs::create_dir(folder.path().join("run")).expect("run directory");
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("checkpoints")
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn storage(&self) -> Storage {
        self.storage_with(&StorageRequest::default())
    }

    fn storage_with(&self, request: &StorageRequest) -> Storage {
        Storage::open(&self.root(), request, &self.run(), Control::inert()).expect("open")
    }

    fn save(&self, step: u64) -> Pointer {
        save(&mut self.storage(), step, &recipe(), &state(step), &small()).expect("save")
    }

    fn load(&self) -> Result<Option<Loaded>, CheckpointError> {
        load(&self.root(), &expectations(), &ExactState)
    }

    fn load_error(&self) -> CheckpointError {
        self.load().expect_err("the checkpoint is damaged")
    }

    fn tree(&self) -> Tree {
        Tree::read(&self.root()).expect("readable")
    }
}

/// In memory where the system has such a place, since these tests sync thousands of files.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("temporary directory")
}

fn recipe() -> Recipe {
    Recipe { name: "tiny".to_owned(), digest: "d".repeat(64) }
}

/// Small writes, so that files have several.
fn small() -> SaveOptions {
    SaveOptions { chunk_bytes: 96, ..SaveOptions::default() }
}

fn failing(ordinal: u64, error: StorageErrorKind) -> StorageRequest {
    StorageRequest { log: false, fail: Some(StorageFailure { ordinal, error }) }
}

fn expectations() -> Expectations {
    Expectations::of(&recipe(), &state(0))
}

/// A state with every section and dtype that differs in every leaf from that of another step.
fn state(step: u64) -> State {
    let leaf = |index: u8, name: &str, dtype: Dtype, shape: &[usize]| {
        let spec = Spec::new(dtype, shape);
        let bytes: Vec<u8> = (0..spec.bytes()).map(|at| (at as u8).wrapping_mul(7) ^ index ^ step as u8).collect();
        Leaf { name: name.to_owned(), tensor: Tensor::from_bytes(spec, &bytes) }
    };
    State {
        leaves: vec![
            leaf(1, "params/embedding", Dtype::F32, &[5, 4]),
            leaf(2, "params/layers.0.norm", Dtype::Bf16, &[7]),
            leaf(3, "optimizer/m.embedding", Dtype::F32, &[5, 4]),
            leaf(4, "optimizer/applied_steps", Dtype::U64, &[]),
            leaf(5, "optimizer/router_bias", Dtype::I32, &[3]),
            leaf(6, "rng/words", Dtype::U32, &[2, 4]),
            leaf(7, "data/digest", Dtype::U8, &[32]),
            leaf(8, "fingerprints/state", Dtype::U64, &[2]),
        ],
    }
}

/// Rewrites the manifest of the newest save, and the pointer so that it fits.
fn edit_manifest(root: &Path, edit: impl FnOnce(&mut Manifest)) {
    let mut pointer = Pointer::read(&root.join(LATEST)).expect("pointer").expect("committed");
    let path = root.join(&pointer.directory).join(MANIFEST);
    let mut manifest: Manifest = serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("manifest");
    edit(&mut manifest);
    let bytes = manifest.encode();
    pointer.manifest_digest = blake3::hash(&bytes).to_hex().to_string();
    std::fs::write(&path, bytes).expect("write");
    std::fs::write(root.join(LATEST), serde_json::to_vec(&pointer).expect("plain data")).expect("write");
}
