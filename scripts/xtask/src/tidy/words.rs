//! Words that must not stand in the tree: notes to oneself, and paths that exist on one machine only.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "words", rule: "no note to oneself, no path of one machine, no package source but crates.io", run };

/// Whole words. Spelt in two parts, so that this file has none of them.
const NOTES: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// Parts of paths.
const PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("../sha", "red")];
/// Texts of the corpus: not ours to edit.
const TEXTS: &str = "trainer/engine/data/";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.files.iter().filter(|(path, _)| !(path.starts_with(TEXTS) && path.ends_with(".txt"))) {
        for (number, line) in text.lines().enumerate() {
            let note = line.split(|character: char| !character.is_alphanumeric()).find(|word| NOTES.contains(word));
            let place = PATHS.iter().find(|place| line.contains(*place)).copied();
            for word in note.into_iter().chain(place) {
                findings.push(Finding::at(path, number + 1, format!("`{word}` must not stand here")));
            }
        }
    }
    findings.extend(sources(subject.files.get("Cargo.lock").map_or("", String::as_str)));
    findings
}

fn sources(lock: &str) -> Vec<Finding> {
    lock.lines()
        .enumerate()
        .filter(|(_, line)| line.starts_with("source = ") && !line.contains(CRATES_IO))
        .map(|(number, line)| Finding::at("Cargo.lock", number + 1, format!("expected crates.io; found {line}")))
        .collect()
}

#[cfg(test)]
mod tests;
