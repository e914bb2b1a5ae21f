//! What the product proposes: golden files, and one row of the ledger for each.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file with the rows, in the folder of the proposal.
const ROWS: &str = "ledger-rows.md";
/// The folder of the runs that the proposal was made from.
const RUNS: &str = "runs";
/// Stands in place of the digest of a golden that is given up.
const RETIRED: &str = "retired";

/// A proposal that agrees with itself.
#[derive(Debug)]
pub(super) struct Proposal {
    pub rows: Vec<Row>,
    /// New bytes by path relative to golden/; `None` for a file that is given up.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
}

/// A row of the ledger without its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub file: String,
    pub digest: String,
    pub contracts: String,
}

#[derive(Debug, Error)]
pub enum ProposalError {
    #[error("cannot read the proposal at {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{ROWS}, line {line}: expected `| file | BLAKE3 | contracts | reason |`; found `{found}`")]
    Row { line: usize, found: String },
    #[error("nothing is proposed: the query matches no golden, or nothing moved")]
    Empty,
    #[error("{file}: the row's BLAKE3 is {expected}, the file's is {found}")]
    Digest { file: String, expected: String, found: String },
    #[error("{file} is proposed without a row in {ROWS}")]
    NoRow { file: String },
    #[error("{file} has a row in {ROWS} that leaves golden/, or it is there twice")]
    Path { file: String },
}

impl Row {
    /// The row as the ledger holds it. What would break the table is replaced.
    pub fn with_reason(&self, reason: &str) -> String {
        let reason = reason.replace('|', "/").split_whitespace().collect::<Vec<_>>().join(" ");
        format!("| {} | {} | {} | {reason} |\n", self.file, self.digest, self.contracts)
    }
}

impl Proposal {
    /// Reads and checks a folder that `lockstep golden propose` has written.
    pub fn read(folder: &Path) -> Result<Self, ProposalError> {
        let rows = rows(&read(&folder.join(ROWS))?)?;
        if rows.is_empty() {
            return Err(ProposalError::Empty);
        }
        let mut files = BTreeMap::new();
        for row in &rows {
            let bytes = if row.digest == RETIRED { None } else { Some(file(folder, row)?) };
            let escapes = row.file.starts_with('/') || row.file.split('/').any(|part| part == "..");
            if escapes || files.insert(row.file.clone(), bytes).is_some() {
                return Err(ProposalError::Path { file: row.file.clone() });
            }
        }
        for file in snapshots(folder, folder)? {
            if !files.contains_key(&file) {
                return Err(ProposalError::NoRow { file });
            }
        }
        Ok(Self { rows, files })
    }
}

fn read(path: &Path) -> Result<String, ProposalError> {
    fs::read_to_string(path).map_err(|source| ProposalError::Io { path: path.to_owned(), source })
}

fn file(folder: &Path, row: &Row) -> Result<Vec<u8>, ProposalError> {
    let path = folder.join(&row.file);
    let bytes = fs::read(&path).map_err(|source| ProposalError::Io { path, source })?;
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found == row.digest {
        return Ok(bytes);
    }
    Err(ProposalError::Digest { file: row.file.clone(), expected: row.digest.clone(), found })
}

fn rows(text: &str) -> Result<Vec<Row>, ProposalError> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let inner = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
        let cells: Vec<&str> = inner.unwrap_or("").split('|').map(str::trim).collect();
        let [file, digest, contracts, _] = cells.as_slice() else {
            return Err(ProposalError::Row { line: number + 1, found: line.to_owned() });
        };
        let [file, digest, contracts] = [file, digest, contracts].map(|cell| (*cell).to_owned());
        rows.push(Row { file, digest, contracts });
    }
    Ok(rows)
}

/// Snapshot files below a folder, relative to `root`.
fn snapshots(root: &Path, folder: &Path) -> Result<Vec<String>, ProposalError> {
    let failed = |source| ProposalError::Io { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && path != root.join(RUNS) {
            found.extend(snapshots(root, &path)?);
        } else if path.extension().is_some_and(|extension| extension == "snap") {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            found.push(
                relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"),
            );
        }
    }
    Ok(found)
}
