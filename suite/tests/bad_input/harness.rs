//! Goldens and lists of trials that were changed by hand, in a copy of the folders that the suite reads.

use crate::{Ended, Room, lockstep};
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const LEDGER: &str = "# Ledger\n\n| file | BLAKE3 | contracts | reason |\n| --- | --- | --- | --- |\n";
/// The committed list of trials.
const LIST: &str = "suite/mustpass/dense-ieee.txt";
const TRIAL: &str = "dense-ieee::kernel::clip::golden";

/// A copy of the lists, and a golden of one room that was just made.
fn copy() -> Room {
    let room = Room::new();
    let lists = room.path("suite/mustpass");
    std::fs::create_dir_all(&lists).expect("create");
    std::fs::create_dir_all(room.path("golden")).expect("create");
    for file in std::fs::read_dir(Path::new(ROOT).join("suite/mustpass")).expect("the lists") {
        let file = file.expect("a list");
        std::fs::copy(file.path(), lists.join(file.file_name())).expect("copy");
    }
    std::fs::write(room.path("golden/LEDGER.md"), LEDGER).expect("write");
    let listed = lockstep(["run", "--root", &room.text(""), "--recipe", "dense-ieee", "--list"]);
    let names = listed.fine().stdout.lines().filter_map(|line| line.strip_suffix(": test"));
    let text: String = names.map(|name| format!("{name}\n")).collect();
    assert!(text.contains(&format!("{TRIAL}\n")), "{text}");
    std::fs::write(room.path(LIST), text).expect("write");
    room
}

fn with_golden() -> Room {
    let room = copy();
    let (root, out) = (room.text(""), room.text("proposal"));
    lockstep(["golden", "propose", "--query", "clip/", "--root", &root, "--out", &out]).fine();
    std::fs::create_dir_all(room.path("golden/clip")).expect("create");
    std::fs::copy(room.path("proposal/clip/cases.snap"), room.path("golden/clip/cases.snap")).expect("copy");
    let rows = std::fs::read_to_string(room.path("proposal/ledger-rows.md")).expect("rows");
    let rows: String =
        rows.lines().map(|row| format!("{}| first |\n", row.trim_end_matches(['|', ' ']).to_owned() + " ")).collect();
    std::fs::write(room.path("golden/LEDGER.md"), format!("{LEDGER}{rows}")).expect("write");
    room
}

fn try_one(room: &Room, trial: &str) -> Ended {
    lockstep(["run", "--root", &room.text(""), "--recipe", "dense-ieee", "--seed", "1", "--exact", trial])
}

#[test]
fn a_golden_as_it_was_made_passes_and_one_edited_by_hand_is_red() {
    let room = with_golden();
    try_one(&room, TRIAL).fine();
    let path = room.path("golden/clip/cases.snap");
    let text = std::fs::read_to_string(&path).expect("read");
    let digit = text.rfind(|c: char| c.is_ascii_digit()).expect("a digit");
    let other = if text.as_bytes()[digit] == b'9' { "8" } else { "9" };
    std::fs::write(&path, format!("{}{other}{}", &text[..digit], &text[digit + 1..])).expect("write");
    try_one(&room, TRIAL)
        .refused(19, &["NO_GOLDEN", "clip/cases.snap", "edited by hand", "cargo test --test determinism"]);
}

#[test]
fn a_missing_golden_is_red_and_is_not_made() {
    let room = copy();
    try_one(&room, TRIAL).refused(19, &["NO_GOLDEN", "clip/cases.snap", "cargo xtask bless"]);
    assert!(!room.path("golden/clip").exists(), "no test writes a golden");
}

#[test]
fn a_trial_that_is_missing_in_the_list_and_one_too_many_are_a_gap() {
    let coverage = "dense-ieee::coverage";
    let room = copy();
    try_one(&room, coverage).refused(19, &["NO_GOLDEN"]);
    let text = std::fs::read_to_string(room.path(LIST)).expect("read");
    std::fs::write(room.path(LIST), text.replace(&format!("{TRIAL}\n"), "")).expect("write");
    try_one(&room, coverage).refused(20, &["COVERAGE_GAP", LIST, &format!("+ {TRIAL}")]);
    std::fs::write(room.path(LIST), format!("{text}dense-ieee::kernel::nothing::golden\n")).expect("write");
    try_one(&room, coverage).refused(20, &["COVERAGE_GAP", LIST, "- dense-ieee::kernel::nothing::golden"]);
}

#[test]
fn an_unknown_recipe_and_a_filter_that_matches_nothing_are_red() {
    let ended = lockstep(["run", "--root", ROOT, "--recipe", "dense-iee"]);
    ended.refused(20, &["dense-iee", "dense-ieee"]);
    let ended = lockstep(["run", "--root", ROOT, "--recipe", "dense-ieee", "no_such_trial"]);
    ended.refused(20, &["no_such_trial"]);
}

#[test]
fn variables_that_can_turn_red_into_green_are_refused() {
    for (name, value) in [("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1"), ("NEXTEST_ATTEMPT", "2")] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.args(["run", "--root", ROOT, "--recipe", "dense-ieee", "--list"]).env(name, value);
        let output = command.output().expect("the process starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(23), "{name}: {said}");
        assert!(said.contains(name), "{said}");
    }
}
