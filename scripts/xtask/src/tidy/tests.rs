use super::{CHECKS, Finding, Subject, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A tree of these files, without crates.
pub(super) fn subject(files: &[(&str, &str)]) -> Subject {
    let files: BTreeMap<_, _> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Subject { files, ..Subject::default() }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")) // scripts/xtask
}

#[test]
fn the_tree_keeps_every_rule() {
    let root = root().canonicalize().expect("the workspace exists");
    let subject = Subject::read(&root).expect("the tree can be read");
    assert!(subject.files.len() > 100, "only {} files were read", subject.files.len());
    assert!(subject.packages.len() > 10, "only {} packages were read", subject.packages.len());
    let findings: Vec<String> = run(&subject).iter().map(|(check, finding)| format!("[{check}] {finding}")).collect();
    assert!(findings.is_empty(), "{} rules are broken:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn a_violation_planted_in_a_tree_on_disk_is_found() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let source = directory.path().join("suite/judge/src");
    fs::create_dir_all(&source).expect("a folder");
    fs::create_dir_all(directory.path().join("target")).expect("a folder");
    fs::write(source.join("lib.rs"), "pub fn f() { g().unwrap() }\n").expect("a file");
    fs::write(source.join("image.bin"), [0xFF, 0xFE]).expect("a file");
    fs::write(directory.path().join("target/skipped.rs"), "").expect("a file");
    let files = super::subject::read_files(directory.path()).expect("the tree can be read");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["suite/judge/src/lib.rs"]);
    let subject = Subject { files, ..Subject::default() };
    let found: Vec<&str> = run(&subject)
        .iter()
        .filter(|(_, finding)| finding.path == "suite/judge/src/lib.rs")
        .map(|(check, _)| *check)
        .collect();
    assert_eq!(found, ["unsafe_code", "unwraps"]);
}

#[test]
fn checks_are_sorted_and_each_has_a_name_of_its_own() {
    assert!(CHECKS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn a_finding_names_its_place() {
    assert_eq!(Finding::at("a.rs", 3, "bad").to_string(), "a.rs:3: bad");
    assert_eq!(Finding::whole("a.rs", "bad").to_string(), "a.rs: bad");
}
