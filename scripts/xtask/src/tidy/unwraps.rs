//! A panic says which invariant broke: `expect` with a reason, never `unwrap`.

use super::source::{code_lines, is_test};
use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check { name: "unwraps", rule: "no `unwrap()` outside tests", run };

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.rust_files().filter(|(path, _)| !is_test(path)) {
        for (line, code) in code_lines(text) {
            if code.contains(".unwrap()") || code.contains(".unwrap_err()") {
                let message = "`unwrap` outside tests; return an error, or `expect` with the invariant";
                findings.push(Finding::at(path, line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
