//! The committed lists of trials.

use super::Entry;
use std::collections::BTreeSet;
use std::path::Path;

/// Folder of the lists, relative to the root.
pub const MUSTPASS: &str = "suite/mustpass";

/// Reads `NAME.txt` of a folder: one trial a line; empty lines and lines that start with `#` are comments.
///
/// # Errors
/// A text that names the file and says what to do.
pub fn read_list(root: &Path, name: &str) -> Result<Vec<String>, String> {
    let path = root.join(MUSTPASS).join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).map_err(|error| {
        format!("cannot read {}: {error}. It holds the committed list of trials, one name a line.", path.display())
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// How a committed list differs from a catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Committed, and no trial any more.
    pub gone: Vec<String>,
    /// A trial, and not committed.
    pub new: Vec<String>,
    /// Stands more than once in the list.
    pub twice: Vec<String>,
}

impl Difference {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && self.twice.is_empty()
    }

    /// One line a name: `- gone`, `+ new`, `2 twice`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mark = |mark: &'static str, names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("{mark} {name}")).collect()
        };
        [mark("-", &self.gone), mark("+", &self.new), mark("2", &self.twice)].concat()
    }
}

/// Compares a committed list with a catalogue.
#[must_use]
pub fn difference(committed: &[String], entries: &[Entry]) -> Difference {
    let listed: BTreeSet<&str> = committed.iter().map(String::as_str).collect();
    let tried: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    Difference {
        gone: listed.difference(&tried).map(|name| (*name).to_owned()).collect(),
        new: tried.difference(&listed).map(|name| (*name).to_owned()).collect(),
        twice: committed.iter().filter(|name| !seen.insert(name.as_str())).cloned().collect(),
    }
}
