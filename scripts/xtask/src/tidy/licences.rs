//! Both licences are in the tree and named by every crate.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "licences",
    rule: "LICENSE-MIT and LICENSE-APACHE stand at the root and every crate names both",
    run,
};

const EXPRESSION: &str = "MIT OR Apache-2.0";
const FILES: &[(&str, &str)] =
    &[("LICENSE-MIT", "Permission is hereby granted, free of charge"), ("LICENSE-APACHE", "Version 2.0, January 2004")];

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, phrase) in FILES {
        if !subject.files.get(*path).is_some_and(|text| text.contains(phrase)) {
            findings.push(Finding::whole(path, format!("expected the licence that says \"{phrase}\"")));
        }
    }
    for package in subject.packages.iter().filter(|package| package.license.as_deref() != Some(EXPRESSION)) {
        let path = format!("{}/Cargo.toml", package.folder);
        findings.push(Finding::whole(&path, format!("expected the licence expression `{EXPRESSION}`")));
    }
    findings
}

#[cfg(test)]
mod tests;
