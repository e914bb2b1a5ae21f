//! The command line as people see it: help, listings, reports, and the command that a failure prints.

#![forbid(unsafe_code)]

mod help;
mod listings;
mod precision;
mod reproduce;

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn lockstep<S: AsRef<OsStr>>(
    directory: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> (Option<i32>, String, String) {
    answer(Command::new(env!("CARGO_BIN_EXE_lockstep")).args(arguments).current_dir(directory))
}

fn answer(command: &mut Command) -> (Option<i32>, String, String) {
    command.env("COLUMNS", "120");
    // What a test runner or a person has set must not change what this process does.
    for name in ["NEXTEST_ATTEMPT", "NEXTEST_RUN_ID", "INSTA_UPDATE", "INSTA_FORCE_PASS", "LOCKSTEP_RECIPE", "CI"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the process starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn said<S: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = S>) -> String {
    let (code, stdout, stderr) = lockstep(directory, arguments);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    stdout
}

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
