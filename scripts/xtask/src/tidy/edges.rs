//! Who may depend on whom. An edge that is not in the table is red, in every kind of dependency.

use super::{Check, DependencyKind, Finding, Subject};
use std::collections::BTreeSet;

pub(super) const CHECK: Check = Check {
    name: "edges",
    rule: "a crate of the workspace depends only on those that the table allows, dev-dependencies included",
    run,
};

/// A crate and the crates of the workspace that it may use.
struct Row {
    package: &'static str,
    /// From the foundations up; an edge never goes up.
    level: u8,
    may_use: &'static [(&'static str, &'static str)],
    /// Beyond `may_use`, in tests, examples and benchmarks.
    tests_may_use: &'static [(&'static str, &'static str)],
}

/// Reasons stand beside the edges. The root package composes everything and is not listed.
const TABLE: &[Row] = &[
    Row { package: "numerics", level: 0, may_use: &[], tests_may_use: &[] },
    Row { package: "fingerprint", level: 0, may_use: &[], tests_may_use: &[] },
    Row {
        package: "contract",
        level: 0,
        may_use: &[("fingerprint", "a trace record holds a fingerprint")],
        tests_may_use: &[],
    },
    Row {
        package: "library",
        level: 1,
        may_use: &[("numerics", "rooms compose its sums, formats and functions")],
        tests_may_use: &[("fingerprint", "tests pin bits by fingerprint")],
    },
    Row {
        package: "mutants",
        level: 3,
        may_use: &[("library", "a mutant is a variant of a room"), ("numerics", "it computes, wrongly")],
        tests_may_use: &[],
    },
    Row {
        package: "plan",
        level: 2,
        may_use: &[
            ("contract", "it describes recipes to the suite"),
            ("library", "nodes are kernels of rooms"),
            ("numerics", "stream keys of Philox: integers only"),
        ],
        tests_may_use: &[],
    },
    Row {
        package: "judge",
        level: 2,
        may_use: &[("contract", "it reads traces and gives verdicts"), ("fingerprint", "it compares fingerprints")],
        tests_may_use: &[],
    },
    Row {
        package: "engine",
        level: 3,
        may_use: &[
            ("contract", "it reads requests and writes traces"),
            ("fingerprint", "records hold fingerprints"),
            ("library", "views, contexts and the registry"),
            ("numerics", "Philox words and the instruction set: integers only"),
            ("plan", "it carries plans out"),
        ],
        tests_may_use: &[],
    },
    Row {
        package: "driver",
        level: 3,
        may_use: &[
            ("contract", "adapters, requests, verdicts"),
            ("fingerprint", "it prints fingerprints of goldens"),
            ("judge", "it hands traces over"),
        ],
        tests_may_use: &[],
    },
    Row {
        package: "faults",
        level: 3,
        may_use: &[
            ("contract", "a fault names the claim that must catch it"),
            ("driver", "the gates read the reports of its trials"),
            ("engine", "a fault replaces a policy"),
            ("judge", "the gates put its comparers through their battery"),
            ("library", "a fault may replace a variant"),
            ("mutants", "plans name mutant variants"),
            ("numerics", "policies draw from Philox"),
            ("plan", "a fault mutates a plan"),
        ],
        tests_may_use: &[],
    },
    Row { package: "xtask", level: 0, may_use: &[], tests_may_use: &[] },
];

/// The package at the top, which composes the others.
const ROOT: &str = "lockstep";

fn run(subject: &Subject) -> Vec<Finding> {
    let members: BTreeSet<&str> = subject.packages.iter().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in subject.packages.iter().filter(|package| package.name != ROOT) {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let Some(row) = TABLE.iter().find(|row| row.package == package.name) else {
            let message = format!("crate `{}` is not in the table of scripts/xtask/src/tidy/edges.rs", package.name);
            findings.push(Finding::whole(&manifest, message));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| members.contains(dependency.name.as_str())) {
            let listed = |edges: &[(&str, &str)]| edges.iter().any(|(name, _)| *name == dependency.name);
            let tests = dependency.kind == DependencyKind::Dev && listed(row.tests_may_use);
            if !listed(row.may_use) && !tests {
                let message = format!(
                    "`{}` (level {}) must not depend on `{}` ({:?}); allowed: {}",
                    package.name,
                    row.level,
                    dependency.name,
                    dependency.kind,
                    names(row)
                );
                findings.push(Finding::whole(&manifest, message));
            }
        }
    }
    findings
}

fn names(row: &Row) -> String {
    let names: Vec<&str> = row.may_use.iter().map(|(name, _)| *name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
