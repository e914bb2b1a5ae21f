//! A lint is set aside with `expect` and a reason, so that it comes back when the reason is gone.
//!
//! Code that several test binaries share may `allow` with a reason: what one of them expects another one does not.

use super::source::{code_lines, is_test};
use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "attributes",
    rule: "no `allow` attribute but in shared test code: `expect` with a reason goes away by itself",
    run,
};

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.rust_files() {
        for (line, code) in code_lines(text) {
            let code = code.trim_start();
            let shared = is_test(path) && code.contains("reason = ");
            if (code.starts_with("#[allow") || code.starts_with("#![allow")) && !shared {
                let message = "an `allow` attribute; write `#[expect(lint, reason = \"…\")]`";
                findings.push(Finding::at(path, line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
