//! A sum of floats has a written order; the order of an iterator's sum is nobody's contract.

use super::source::{code_lines, is_test};
use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "float_sums", rule: "no `Iterator::sum` or `product` of floats outside tests", run };

const BANNED: &[&str] = &[".sum::<f32>", ".sum::<f64>", ".product::<f32>", ".product::<f64>"];

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.rust_files().filter(|(path, _)| !is_test(path)) {
        for (line, code) in code_lines(text) {
            let typed = code.contains(": f32 =") || code.contains(": f64 =");
            let untyped = code.contains(".sum()") || code.contains(".product()");
            if BANNED.iter().any(|banned| code.contains(banned)) || (typed && untyped) {
                let message = "a sum of floats without a written order; use one of `numerics::sum`, or a loop";
                findings.push(Finding::at(path, line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
