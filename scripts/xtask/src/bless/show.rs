//! Shows what a proposal moves, before anything is written.

use super::{BlessError, Proposal};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Changed lines shown of one file; the first ones name the first divergence.
const SHOWN: usize = 12;

pub(super) fn differences(proposal: &Proposal, golden: &Path) -> Result<String, BlessError> {
    let mut text = String::new();
    for row in &proposal.rows {
        let path = golden.join(&row.file);
        let old = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(BlessError::Io { path, source }),
        };
        let new = proposal.files[&row.file].as_deref().map(String::from_utf8_lossy);
        let line = match (&old, &new) {
            (_, None) => format!("retired   {}\n", row.file),
            (None, Some(new)) => format!("new       {} ({} lines; {})\n", row.file, new.lines().count(), row.contracts),
            (Some(old), Some(new)) if old == new => format!("unmoved   {}\n", row.file),
            (Some(old), Some(new)) => moved(&row.file, &row.contracts, old, new),
        };
        text.push_str(&line);
    }
    Ok(text)
}

fn moved(file: &str, contracts: &str, old: &str, new: &str) -> String {
    let difference = TextDiff::from_lines(old, new);
    let changes: Vec<_> = difference.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).collect();
    let mut text = format!("moved     {file} ({} changed lines; {contracts})\n", changes.len());
    for change in changes.iter().take(SHOWN) {
        let _ = write!(text, "    {} {}", change.tag(), change.value());
    }
    if changes.len() > SHOWN {
        let _ = writeln!(text, "    … and {} more", changes.len() - SHOWN);
    }
    text
}
