//! `golden/LEDGER.md`: which golden files were committed on purpose, and why.
//!
//! A Markdown table that is only ever appended to. The newest row of a file counts: the file's BLAKE3 must be the one
//! that stands there, so an edit by hand is noticed. A file that was retired has `retired` in place of the digest.
//! This module reads and renders rows; only `cargo xtask bless` appends them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The ledger's file name, in the golden folder.
pub const LEDGER: &str = "LEDGER.md";
/// Stands for the digest of a file that does not exist any more, on purpose.
pub const RETIRED: &str = "retired";
/// What an empty ledger holds.
pub const HEADER: &str = "# Ledger of goldens\n\nAppended to by `cargo xtask bless`, never edited. The newest row of a \
                          file counts.\n\n| file | BLAKE3 | contracts | reason |\n| --- | --- | --- | --- |\n";

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the golden folder, with `/`.
    pub file: String,
    /// 64 lowercase hex digits, or [`RETIRED`].
    pub blake3: String,
    pub contracts: Vec<String>,
    pub reason: String,
}

/// All rows, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    pub entries: Vec<Entry>,
}

/// Something that makes goldens untrustworthy: verdict NO_GOLDEN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    pub file: String,
    /// What is wrong and what to do.
    pub sentence: String,
}

impl Entry {
    /// The entry of a file with these bytes.
    #[must_use]
    pub fn of(file: &str, bytes: &[u8], contracts: &[String], reason: &str) -> Self {
        let (file, reason) = (file.to_owned(), reason.to_owned());
        Self { file, blake3: blake3::hash(bytes).to_hex().to_string(), contracts: contracts.to_vec(), reason }
    }

    /// The row, with its newline. What would break the table is replaced.
    #[must_use]
    pub fn render(&self) -> String {
        let cell = |text: &str| text.replace('|', "/").split_whitespace().collect::<Vec<_>>().join(" ");
        format!("| {} | {} | {} | {} |\n", self.file, self.blake3, cell(&self.contracts.join(", ")), cell(&self.reason))
    }
}

impl Ledger {
    /// Reads the table.
    ///
    /// # Errors
    /// A text that names the line, when a row does not have four cells, a digest, and a reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut entries = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            let cells: Vec<_> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let [file, digest, contracts, reason] = cells.as_slice() else {
                return Err(format!("{LEDGER}, line {}: {} cells; expected 4", number + 1, cells.len()));
            };
            if *file == "file" || file.bytes().all(|byte| byte == b'-') {
                continue;
            }
            let hex = digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            if !hex && *digest != RETIRED {
                return Err(format!("{LEDGER}, line {}: `{digest}` is no BLAKE3 and not `{RETIRED}`", number + 1));
            }
            if reason.is_empty() {
                return Err(format!("{LEDGER}, line {}: no reason is given", number + 1));
            }
            let contracts = contracts.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            entries.push(Entry {
                file: (*file).to_owned(),
                blake3: (*digest).to_owned(),
                contracts: contracts.collect(),
                reason: (*reason).to_owned(),
            });
        }
        Ok(Self { entries })
    }

    /// The newest digest of each file; retired files are left out.
    #[must_use]
    pub fn newest(&self) -> BTreeMap<&str, &str> {
        let mut newest = BTreeMap::new();
        for entry in &self.entries {
            newest.insert(entry.file.as_str(), entry.blake3.as_str());
        }
        newest.retain(|_, digest| *digest != RETIRED);
        newest
    }
}

/// Checks a golden folder against its ledger, and against the files that recipes and rooms use, when these are given
/// (relative to the folder, with `/`).
///
/// # Errors
/// When the folder or the ledger cannot be read, or the ledger is not a ledger.
pub fn check(root: &Path, used: Option<&BTreeSet<String>>) -> Result<Vec<Problem>, String> {
    let path = root.join(LEDGER);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ledger = Ledger::parse(&text)?;
    let newest = ledger.newest();
    let files = snapshots(root).map_err(|error| format!("cannot list {}: {error}", root.display()))?;
    let mut problems = Vec::new();
    let mut problem = |file: &str, sentence: String| problems.push(Problem { file: file.to_owned(), sentence });
    for (file, path) in &files {
        let Some(expected) = newest.get(file.as_str()) else {
            problem(file, format!("orphan: no row of {LEDGER} names it. Bless it with a reason, or delete it."));
            continue;
        };
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        if blake3::hash(&bytes).to_hex().as_str() != *expected {
            let sentence = format!(
                "edited by hand: its BLAKE3 is not the newest one in {LEDGER}. Take it back with git, or bless it."
            );
            problem(file, sentence);
        }
        if used.is_some_and(|used| !used.contains(file)) {
            problem(file, "orphan: no recipe and no room uses it. Retire it with `cargo xtask bless`.".to_owned());
        }
    }
    for file in newest.keys().filter(|file| !files.contains_key(**file)) {
        problem(file, format!("missing: {LEDGER} names it. Take it back with git, or retire it with a reason."));
    }
    for file in
        used.into_iter().flatten().filter(|file| !files.contains_key(*file) && !newest.contains_key(file.as_str()))
    {
        problem(file, "missing: it was never made. Make it with `cargo xtask bless` and a reason.".to_owned());
    }
    Ok(problems)
}

/// All `.snap` files under a folder by their name relative to it. Pending ones (`.snap.new`) are none.
fn snapshots(root: &Path) -> std::io::Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "snap") {
                let parts: Vec<_> = path
                    .strip_prefix(root)
                    .expect("the folder lies under the root")
                    .components()
                    .map(|part| part.as_os_str().to_string_lossy().into_owned())
                    .collect();
                files.insert(parts.join("/"), path);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
