//! Planted faults are linked into `lockstep-mutant` and never into `lockstep`.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "markers",
    rule: "the built `lockstep` holds no marker of a planted fault, `lockstep-mutant` does",
    run,
};

/// The text that every crate of planted faults carries in its data. Spelt in two parts, so that this file has none.
const MARKER: &str = concat!("lockstep-planted", "-fault");

fn run(subject: &Subject) -> Vec<Finding> {
    let holds = |bytes: &[u8]| bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes());
    let mut findings = Vec::new();
    if subject.binary.as_deref().is_some_and(holds) {
        findings.push(Finding::whole("target/debug/lockstep", "a planted fault is linked into the product's binary"));
    }
    let planted = subject.files.iter().any(|(path, text)| is_home(path) && text.contains(MARKER));
    if planted && subject.mutant.as_deref().is_some_and(|bytes| !holds(bytes)) {
        let message = "no marker although faults are planted, so its absence elsewhere proves nothing";
        findings.push(Finding::whole("target/debug/lockstep-mutant", message));
    }
    findings
}

fn is_home(path: &str) -> bool {
    path.starts_with("trainer/faults/src/") || path.starts_with("kernels/mutants/src/")
}

#[cfg(test)]
mod tests;
