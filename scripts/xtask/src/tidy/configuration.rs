//! There is one configuration of each tool, at the root.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "configuration",
    rule: "clippy, rustfmt, nextest and cargo-deny are configured once, at the root",
    run,
};

const AT_THE_ROOT: &[(&str, &str)] = &[
    ("clippy.toml", "clippy.toml"),
    ("rustfmt.toml", "rustfmt.toml"),
    ("deny.toml", "deny.toml"),
    ("nextest.toml", ".config/nextest.toml"),
];

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, home) in AT_THE_ROOT {
        if !subject.files.contains_key(*home) {
            findings.push(Finding::whole(home, "the file is missing"));
        }
        // A second clippy.toml would replace the first one for its crate, bans included; `.name` is read too.
        let named = |path: &&String| path.rsplit('/').next().is_some_and(|file| file.trim_start_matches('.') == *name);
        for path in subject.files.keys().filter(named).filter(|path| path != home) {
            findings.push(Finding::whole(path, format!("a second configuration; the only one is {home}")));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
