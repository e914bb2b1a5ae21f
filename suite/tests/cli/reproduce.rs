//! The command that a failing trial prints makes it fail again; a planted fault makes the mutant fail by itself.

use super::*;
use tempfile::TempDir;

const TRIAL: &str = "dense-ieee::kernel::clip::golden";

/// A root whose goldens were never made, so that golden trials fail.
fn root() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let lists = folder.path().join("suite/mustpass");
    std::fs::create_dir_all(&lists).expect("create");
    for file in std::fs::read_dir(Path::new(ROOT).join("suite/mustpass")).expect("the lists") {
        let file = file.expect("a list");
        std::fs::copy(file.path(), lists.join(file.file_name())).expect("copy");
    }
    std::fs::create_dir_all(folder.path().join("golden")).expect("create");
    let table = "| file | BLAKE3 | contracts | reason |\n| --- | --- | --- | --- |\n";
    std::fs::write(folder.path().join("golden/LEDGER.md"), table).expect("write");
    folder
}

/// The arguments behind `--` of the command that stands after `reproduce`.
fn printed(text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("reproduce "));
    let first = lines.next().expect("a failure says how to make it again").trim_start_matches("reproduce ").trim();
    let command = match first.strip_suffix('\\') {
        Some(first) => format!("{first} {}", lines.next().expect("the command goes on")),
        None => first.to_owned(),
    };
    let arguments = command.strip_prefix("cargo test --test determinism -- ").expect("the suite's own command");
    arguments.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_command_that_a_failing_trial_prints_fails_in_the_same_way() {
    let root = root();
    // Two trials, of which one fails: the command must pick out the one.
    let options = ["run", "--recipe", "dense-ieee", "--room", "clip", "--claim", "golden,reference"];
    let (code, stdout, stderr) = lockstep(root.path(), options);
    assert_eq!(code, Some(19), "{stdout}{stderr}");
    let arguments = printed(&stdout);
    assert!(arguments.iter().any(|argument| argument == TRIAL), "{arguments:?}");
    assert!(arguments.iter().any(|argument| argument == "--seed"), "{arguments:?}");
    let (code, again, stderr) = lockstep(root.path(), std::iter::once("run".to_owned()).chain(arguments.clone()));
    assert_eq!(code, Some(19), "{again}{stderr}");
    assert_eq!(printed(&again), arguments, "and it prints the same command");
    assert!(!again.contains("clip::reference"), "no other trial ran:\n{again}");
}

#[test]
fn the_suite_of_the_mutant_plants_its_fault_in_the_trainers_that_it_starts() {
    let trial = "dense-ieee::kernel::cross_entropy::repeat";
    let judged = |fault: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep-mutant"));
        command.args(["run", "--recipe", "dense-ieee", "--exact", trial]).current_dir(ROOT);
        answer(command.env_remove("LOCKSTEP_FAULT").envs(fault.map(|fault| ("LOCKSTEP_FAULT", fault))))
    };
    let (code, stdout, _) = judged(None);
    assert_eq!(code, Some(0), "{stdout}");
    let (code, stdout, _) = judged(Some("F013"));
    assert_eq!(code, Some(10), "{stdout}");
    assert!(stdout.contains("NONDETERMINISTIC") && stdout.contains("cross_entropy"), "{stdout}");
}
