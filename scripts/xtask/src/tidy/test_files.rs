//! Tests stand in files of their own, so that code reads without them.

use super::source::{code_lines, is_test};
use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "test_files", rule: "tests stand in a sibling tests.rs, in a tests folder, or in none", run };

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.rust_files().filter(|(path, _)| !is_test(path)) {
        for (line, code) in code_lines(text) {
            let code = code.trim();
            if code == "#[test]" || code.starts_with("mod tests {") {
                findings.push(Finding::at(path, line, "a test inside the code; move it to a sibling tests.rs"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
