//! Unsafe code has two homes; every other crate root forbids it, for good.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "unsafe_code",
    rule: "every crate root says `#![forbid(unsafe_code)]`, but for kernels/device and kernels/nccl",
    run,
};

/// Folders of crates that may hold unsafe code.
const HOMES: &[&str] = &["kernels/device/", "kernels/nccl/"];

fn run(subject: &Subject) -> Vec<Finding> {
    subject
        .rust_files()
        .filter(|(path, _)| is_root(path) && !HOMES.iter().any(|home| path.starts_with(home)))
        .filter(|(_, text)| !text.lines().any(|line| line.trim() == "#![forbid(unsafe_code)]"))
        .map(|(path, _)| Finding::whole(path, "expected `#![forbid(unsafe_code)]` in this crate root"))
        .collect()
}

/// Roots of libraries and binaries; the root package keeps its own under suite/cli and suite/tests.
fn is_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs")
        || path.ends_with("/src/main.rs")
        || path.starts_with("suite/cli/")
        || path == "suite/tests/determinism/main.rs"
}

#[cfg(test)]
mod tests;
