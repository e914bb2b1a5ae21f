//! Rules of the tree, each a pure function over its files and its crate graph.
//!
//! A check is one module with one function and its own tests, in which it is seen red on a planted violation. The
//! whole list runs on the real tree in `cargo xtask tidy` and in `cargo test -p xtask`. Nothing here changes a file.

mod attributes;
mod build_size;
mod configuration;
mod documents;
mod edges;
mod features;
mod float_sums;
mod lengths;
mod licences;
mod mains;
mod markers;
mod members;
mod rooms;
mod source;
mod subject;
mod test_files;
#[cfg(test)]
mod tests;
mod unsafe_code;
mod unwraps;
mod verdicts;
mod words;
mod workflows;

pub use subject::{Dependency, DependencyKind, Package, Subject, SubjectError};

use std::fmt;

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Relative to the root of the tree.
    pub path: String,
    /// Counted from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }

    fn whole(path: &str, message: impl Into<String>) -> Self {
        Self::at(path, 0, message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// One rule.
#[derive(Clone, Copy)]
pub struct Check {
    pub name: &'static str,
    /// The rule in one sentence.
    pub rule: &'static str,
    pub run: fn(&Subject) -> Vec<Finding>,
}

/// Every rule.
pub const CHECKS: &[Check] = &[
    attributes::CHECK,
    build_size::CHECK,
    configuration::CHECK,
    documents::CHECK,
    edges::CHECK,
    features::CHECK,
    float_sums::CHECK,
    lengths::CHECK,
    licences::CHECK,
    mains::CHECK,
    markers::CHECK,
    members::CHECK,
    rooms::CHECK,
    test_files::CHECK,
    unsafe_code::CHECK,
    unwraps::CHECK,
    verdicts::CHECK,
    words::CHECK,
    workflows::CHECK,
];

/// Runs every check; findings come with the name of their check.
#[must_use]
pub fn run(subject: &Subject) -> Vec<(&'static str, Finding)> {
    let mut findings = Vec::new();
    for check in CHECKS {
        let mut found = (check.run)(subject);
        found.sort();
        findings.extend(found.into_iter().map(|finding| (check.name, finding)));
    }
    findings
}
