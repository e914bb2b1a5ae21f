//! The first build of a newcomer stays short.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "build_size", rule: "a plain build compiles at most 250 crates (normal dependencies)", run };

const LIMIT: usize = 250;

fn run(subject: &Subject) -> Vec<Finding> {
    match subject.build.len() {
        0 => vec![Finding::whole("Cargo.lock", "cargo listed no crate, so nothing was counted")],
        count if count > LIMIT => {
            let message = format!("{count} crates in a plain build; expected at most {LIMIT}");
            vec![Finding::whole("Cargo.lock", message)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
