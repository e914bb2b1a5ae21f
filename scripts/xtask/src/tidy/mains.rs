//! A main composes; it holds no logic that a test could not reach.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "mains", rule: "a file that holds a program's `main` has at most 30 lines", run };

const LIMIT: usize = 30;

fn run(subject: &Subject) -> Vec<Finding> {
    subject
        .rust_files()
        .filter(|(path, text)| is_program(path) && text.lines().any(|line| line.starts_with("fn main()")))
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            let message = || format!("{lines} lines; expected at most {LIMIT}: move logic into a library");
            (lines > LIMIT).then(|| Finding::whole(path, message()))
        })
        .collect()
}

/// Examples, tests and peers with a `main` of their own are programs too, but nothing is built on them. The suite is.
fn is_program(path: &str) -> bool {
    let apart = ["/examples/", "/tests/", "/peer/"];
    path.starts_with("suite/tests/") || !apart.iter().any(|folder| path.contains(folder))
}

#[cfg(test)]
mod tests;
