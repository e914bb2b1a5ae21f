use super::proposal::{Proposal, ProposalError};
use super::{BlessError, HEADER, refuse, show, write};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A folder with one proposed file and these rows.
fn folder(rows: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(folder.path().join("rmsnorm")).expect("a folder");
    fs::write(folder.path().join("rmsnorm/cases.snap"), "one\ntwo\n").expect("a file");
    fs::write(folder.path().join("ledger-rows.md"), rows).expect("a file");
    folder
}

fn row(digest: &str) -> String {
    format!("| rmsnorm/cases.snap | {digest} | rmsnorm.blocked.v2 |  |\n")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn blessing_is_refused_in_ci_without_a_reason_and_on_a_dirty_tree() {
    assert!(matches!(refuse(Some("true"), "because", ""), Err(BlessError::Ci)));
    assert!(matches!(refuse(None, "  ", ""), Err(BlessError::NoReason)));
    assert!(matches!(refuse(None, "because", " M kernels/a.rs\n"), Err(BlessError::Dirty(_))));
    for ci in [None, Some(""), Some("false")] {
        assert!(refuse(ci, "because", "\n").is_ok(), "{ci:?}");
    }
}

#[test]
fn a_blessing_writes_the_files_and_appends_their_rows() {
    let golden = tempfile::tempdir().expect("a temporary folder");
    let proposal = folder(&row(&digest("one\ntwo\n")));
    let proposal = Proposal::read(proposal.path()).expect("a good proposal");
    let ledger = golden.path().join("LEDGER.md");
    write(&proposal, golden.path(), "first | with\na break").expect("writable");
    assert_eq!(read(&golden.path().join("rmsnorm/cases.snap")), "one\ntwo\n");
    let row = |digest: &str, reason: &str| row(digest).replace("|  |", &format!("| {reason} |"));
    let first = row(&digest("one\ntwo\n"), "first / with a break");
    assert_eq!(read(&ledger), format!("{HEADER}{first}"));
    // What did not move gets no second row, unless another row came between.
    write(&proposal, golden.path(), "second").expect("writable");
    assert_eq!(read(&ledger), format!("{HEADER}{first}"));
    let between = row("retired", "gone");
    fs::write(&ledger, format!("{HEADER}{first}{between}")).expect("writable");
    write(&proposal, golden.path(), "third").expect("writable");
    let third = row(&digest("one\ntwo\n"), "third");
    assert_eq!(read(&ledger), format!("{HEADER}{first}{between}{third}"));
}

#[test]
fn a_retired_golden_is_removed_and_keeps_its_row() {
    let golden = tempfile::tempdir().expect("a temporary folder");
    let proposal = tempfile::tempdir().expect("a temporary folder");
    fs::write(proposal.path().join("ledger-rows.md"), "| a.snap | retired | a.v1 |  |\n").expect("a file");
    fs::write(golden.path().join("a.snap"), "old\n").expect("a file");
    let proposal = Proposal::read(proposal.path()).expect("a good proposal");
    write(&proposal, golden.path(), "gone").expect("writable");
    assert!(!golden.path().join("a.snap").exists());
    assert!(read(&golden.path().join("LEDGER.md")).ends_with("| a.snap | retired | a.v1 | gone |\n"));
}

#[test]
fn a_proposal_that_disagrees_with_itself_is_refused() {
    let read = |rows: &str| Proposal::read(folder(rows).path()).expect_err("refused");
    let good = row(&digest("one\ntwo\n"));
    assert!(matches!(read(&row(&digest("other"))), ProposalError::Digest { .. }));
    assert!(matches!(read("| a | b |\n"), ProposalError::Row { line: 1, .. }));
    assert!(matches!(read(""), ProposalError::Empty));
    assert!(matches!(read("| b.snap | retired | c | d |\n"), ProposalError::NoRow { .. }));
    assert!(matches!(read(&format!("{good}{good}")), ProposalError::Path { .. }));
    assert!(matches!(read("| ../a.snap | retired | c | d |\n"), ProposalError::Path { .. }));
}

#[test]
fn what_moves_is_shown_line_by_line() {
    let golden = tempfile::tempdir().expect("a temporary folder");
    let proposal = folder(&row(&digest("one\ntwo\n")));
    let proposal = Proposal::read(proposal.path()).expect("a good proposal");
    let show = || show::differences(&proposal, golden.path()).expect("readable");
    assert_eq!(show(), "new       rmsnorm/cases.snap (2 lines; rmsnorm.blocked.v2)\n");
    fs::create_dir_all(golden.path().join("rmsnorm")).expect("a folder");
    let path = golden.path().join("rmsnorm/cases.snap");
    fs::write(&path, "one\nzwei\n").expect("a file");
    assert_eq!(show(), "moved     rmsnorm/cases.snap (2 changed lines; rmsnorm.blocked.v2)\n    - zwei\n    + two\n");
    fs::write(&path, "one\ntwo\n").expect("a file");
    assert_eq!(show(), "unmoved   rmsnorm/cases.snap\n");
}
