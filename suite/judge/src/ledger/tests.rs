use super::*;
use std::fs;

fn folder() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("dense")).unwrap();
    fs::write(root.path().join("dense/end_to_end.snap"), "bits").unwrap();
    let old = Entry::of("dense/end_to_end.snap", b"old bits", &["a.v1".into()], "first");
    let new = Entry::of("dense/end_to_end.snap", b"bits", &["a.v2".into(), "b.v1".into()], "a rounds | twice\nnow");
    fs::write(root.path().join(LEDGER), format!("{HEADER}{}{}", old.render(), new.render())).unwrap();
    root
}

fn sentences(root: &Path, used: Option<&[&str]>) -> Vec<String> {
    let used = used.map(|used| used.iter().map(|name| (*name).to_owned()).collect());
    check(root, used.as_ref()).unwrap().into_iter().map(|problem| problem.sentence).collect()
}

#[test]
fn a_folder_whose_files_are_the_newest_entries_has_no_problem() {
    let root = folder();
    assert!(sentences(root.path(), Some(&["dense/end_to_end.snap"])).is_empty());
    let text = fs::read_to_string(root.path().join(LEDGER)).unwrap();
    let ledger = Ledger::parse(&text).unwrap();
    assert_eq!(ledger.entries[1].contracts, ["a.v2", "b.v1"]);
    assert_eq!(ledger.entries[1].reason, "a rounds / twice now");
}

#[test]
fn a_golden_edited_by_hand_or_set_back_to_an_older_entry_is_a_problem() {
    let root = folder();
    for bytes in ["bitz", "old bits"] {
        fs::write(root.path().join("dense/end_to_end.snap"), bytes).unwrap();
        assert!(sentences(root.path(), None)[0].starts_with("edited by hand"));
    }
}

#[test]
fn orphans_and_missing_files_are_problems_and_pending_files_are_not() {
    let root = folder();
    fs::write(root.path().join("dense/new.snap"), "x").unwrap();
    fs::write(root.path().join("dense/new.snap.new"), "x").unwrap();
    assert!(sentences(root.path(), None)[0].starts_with("orphan: no row"));
    fs::remove_file(root.path().join("dense/new.snap")).unwrap();
    assert!(sentences(root.path(), Some(&[]))[0].starts_with("orphan: no recipe"));
    assert!(sentences(root.path(), Some(&["dense/end_to_end.snap", "x/cases.snap"]))[0].contains("never made"));
    fs::remove_file(root.path().join("dense/end_to_end.snap")).unwrap();
    assert!(sentences(root.path(), None)[0].starts_with("missing: LEDGER.md names it"));
}

#[test]
fn a_retired_file_may_be_absent() {
    let root = folder();
    fs::remove_file(root.path().join("dense/end_to_end.snap")).unwrap();
    let mut retired = Entry::of("dense/end_to_end.snap", b"", &[], "the recipe is gone");
    retired.blake3 = RETIRED.to_owned();
    let path = root.path().join(LEDGER);
    let text = fs::read_to_string(&path).unwrap() + &retired.render();
    fs::write(&path, text).unwrap();
    assert!(sentences(root.path(), None).is_empty());
}

#[test]
fn rows_without_four_cells_a_digest_or_a_reason_are_refused() {
    let digest = "0".repeat(64);
    for row in ["| a | b |".to_owned(), "| a | 12 | c | d |".to_owned(), format!("| a | {digest} | c |  |")] {
        assert!(Ledger::parse(&format!("{HEADER}{row}\n")).is_err(), "{row}");
    }
}
