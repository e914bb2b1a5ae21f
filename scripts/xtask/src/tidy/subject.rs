//! What is checked: the files of a tree, its crate graph, and the binary if it was built.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use xshell::{Shell, cmd};

/// Folders that hold no source.
const SKIPPED: &[&str] = &[".git", "target"];

/// A tree under examination. Checks read it and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Text files by path, relative to the root, with `/`.
    pub files: BTreeMap<String, String>,
    /// Members of the workspace.
    pub packages: Vec<Package>,
    /// Crates that a plain build compiles, ours included, as `name version`.
    pub build: BTreeSet<String>,
    /// The bytes of `target/debug/lockstep`, when it exists.
    pub binary: Option<Vec<u8>>,
    /// The bytes of `target/debug/lockstep-mutant`, when it exists.
    pub mutant: Option<Vec<u8>>,
}

/// A member of the workspace.
#[derive(Clone, Debug, Deserialize)]
pub struct Package {
    pub name: String,
    /// Folder relative to the root; empty for the root package. Absolute until [`Subject::read`] has made it relative.
    #[serde(rename = "manifest_path")]
    pub folder: String,
    #[serde(default)]
    pub license: Option<String>,
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
}

/// A dependency as its manifest declares it.
#[derive(Clone, Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// Set for crates of the workspace.
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub kind: DependencyKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DependencyKind {
    #[default]
    Normal,
    Dev,
    Build,
}

impl<'de> Deserialize<'de> for DependencyKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<String>::deserialize(deserializer)?.as_deref() {
            None | Some("normal") => Ok(Self::Normal),
            Some("dev") => Ok(Self::Dev),
            Some("build") => Ok(Self::Build),
            Some(other) => Err(serde::de::Error::custom(format!("unknown kind of dependency `{other}`"))),
        }
    }
}

#[derive(Debug, Error)]
pub enum SubjectError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot ask cargo for the crate graph: {0}")]
    Cargo(#[from] xshell::Error),
    #[error("cannot understand the output of `cargo metadata`: {0}")]
    Metadata(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

impl Subject {
    /// Reads the tree at `root` and asks cargo about its crates.
    ///
    /// # Errors
    /// When a file cannot be read or cargo fails.
    pub fn read(root: &Path) -> Result<Self, SubjectError> {
        let shell = Shell::new()?;
        shell.change_dir(root);
        let json = cmd!(shell, "cargo metadata --format-version 1 --no-deps --offline --quiet").quiet().read()?;
        let mut packages = serde_json::from_str::<Metadata>(&json)?.packages;
        for package in &mut packages {
            let folder = Path::new(&package.folder).parent().unwrap_or(Path::new(""));
            package.folder = slashes(folder.strip_prefix(root).unwrap_or(folder));
        }
        let tree = cmd!(shell, "cargo tree --workspace --edges normal --prefix none --offline --locked");
        let build = tree.quiet().ignore_stderr().read()?.lines().filter_map(crate_of_line).collect();
        let built = |name: &str| fs::read(root.join("target/debug").join(name)).ok();
        let (binary, mutant) = (built("lockstep"), built("lockstep-mutant"));
        Ok(Self { files: read_files(root)?, packages, build, binary, mutant })
    }

    /// Rust files with their lines, those of other languages left out.
    pub(super) fn rust_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter(|(path, _)| path.ends_with(".rs")).map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

/// `name v1.2.3 (…)` → `name v1.2.3`.
fn crate_of_line(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    Some(format!("{} {}", words.next()?, words.next()?))
}

/// Text files of a tree. Files that are not UTF-8 are left out: no check looks into them.
///
/// # Errors
/// When a folder or a file cannot be read.
pub(super) fn read_files(root: &Path) -> Result<BTreeMap<String, String>, SubjectError> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| SubjectError::Read { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                folders.push(path);
            } else if kind.is_file() && name != ".git" {
                let bytes = fs::read(&path).map_err(|source| SubjectError::Read { path: path.clone(), source })?;
                if let Ok(text) = String::from_utf8(bytes) {
                    files.insert(slashes(path.strip_prefix(root).unwrap_or(&path)), text);
                }
            }
        }
    }
    Ok(files)
}

fn slashes(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
