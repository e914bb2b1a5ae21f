//! The toy trainer, whole or with a planted fault.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use contract::adapter::Adapter;
use contract::request::Part;
use driver::runner::{RunSpec, Runner};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

pub fn toy_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy")
}

pub fn toy() -> Runner {
    runner(&toy_folder().join("toy_trainer.py"))
}

fn runner(trainer: &Path) -> Runner {
    let mut adapter = Adapter::read(&toy_folder().join("adapter.yaml"), trainer).expect("the adapter is valid");
    adapter.environment.insert("PATH".into(), path_of_python().into());
    Runner::new(adapter, Duration::from_secs(20))
}

/// `PATH` with the folder of the interpreter itself in front: `python3` may be a launcher ten times slower than it.
#[expect(clippy::disallowed_methods, reason = "children need the path of the test")]
fn path_of_python() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let ask = ["-I", "-S", "-c", "import os, sys; print(os.path.dirname(sys.executable))"];
        let answer = Command::new("python3").args(ask).output().expect("python3 can be started");
        let folder = String::from_utf8(answer.stdout).expect("the path is text");
        format!("{}:{}", folder.trim_end(), std::env::var("PATH").unwrap_or_default())
    })
}

/// A copy of the toy trainer in which `from` is `to`.
pub fn broken(folder: &TempDir, from: &str, to: &str) -> Runner {
    let whole = std::fs::read_to_string(toy_folder().join("toy_trainer.py")).expect("the trainer can be read");
    assert_eq!(whole.matches(from).count(), 1, "`{from}` is the line to break");
    let path = folder.path().join("broken_trainer.py");
    std::fs::write(&path, whole.replace(from, to)).expect("the folder can be written");
    runner(&path)
}

pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

pub fn spec(directory: &Path) -> RunSpec {
    RunSpec::new("toy", Part::EndToEnd, directory)
}
