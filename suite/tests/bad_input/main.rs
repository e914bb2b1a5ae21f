//! Bad input, given to the real binary: each ends with its documented exit code, says what, where and what to do, and
//! loses nothing.

#![forbid(unsafe_code)]

mod checkpoints;
mod data;
mod harness;
mod machine;
mod numbers;
mod place;
mod precision;
mod recipes;
mod requests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The recipe that every test starts from.
const RECIPE: &str = include_str!("../../recipes/dense-ieee.yaml");

/// A part that steps, saves and needs little time.
const SMALL: [&str; 4] = ["--recipe", "dense-ieee", "--part", "module/optimizer_step"];

/// How a process ended.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    /// Asserts the exit code and that every text stands in what was printed for people.
    #[track_caller]
    fn refused(&self, code: i32, texts: &[&str]) -> &Self {
        let said = format!("{}{}", self.stdout, self.stderr);
        assert_eq!(self.code, Some(code), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        // Long lines are broken where the terminal ends.
        let words: Vec<_> = said.split_whitespace().filter(|word| *word != "│").collect();
        let unbroken = words.join(" ");
        for text in texts {
            let whole = unbroken.contains(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            assert!(whole, "`{text}` is not in: {said}");
        }
        self
    }

    #[track_caller]
    fn fine(&self) -> &Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }
}

fn run(command: &mut Command) -> Ended {
    // What a test runner or a person has set must not change what these processes do.
    for name in ["NEXTEST_ATTEMPT", "NEXTEST_RUN_ID", "INSTA_UPDATE", "INSTA_FORCE_PASS", "LOCKSTEP_RECIPE", "CI"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the process starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn lockstep<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    run(Command::new(env!("CARGO_BIN_EXE_lockstep")).args(arguments))
}

/// A folder of one test.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// A recipe with some words, or the values of some keys, replaced; its name is `name`.
    fn recipe(&self, name: &str, changes: &[(&str, &str)]) -> String {
        let mut text = RECIPE.replace("name: dense-ieee", &format!("name: {name}"));
        for (from, to) in changes {
            let at = text.find(from).unwrap_or_else(|| panic!("the recipe has no `{from}`"));
            // A key with its colon stands for the whole rest of its line.
            let length = if from.ends_with(": ") { text[at..].find('\n').expect("a line ends") } else { from.len() };
            text.replace_range(at..at + length, to);
        }
        let path = self.path(&format!("{name}.yaml"));
        std::fs::write(&path, text).expect("write the recipe");
        path.to_string_lossy().into_owned()
    }

    /// Trains into the folder `run`.
    fn train(&self, run: &str, arguments: &[&str]) -> Ended {
        let directory = self.text(run);
        lockstep(["train", "--run-dir", &directory].iter().chain(arguments))
    }

    /// A small run with saves after every two steps in `run/checkpoints`.
    fn small(&self, run: &str, more: &[&str]) -> Ended {
        let every = ["--set", "checkpoint.every=2"];
        self.train(run, &SMALL.iter().chain(&every).chain(more).copied().collect::<Vec<_>>())
    }

    fn checkpoints(&self, run: &str) -> PathBuf {
        self.path(run).join("checkpoints")
    }

    fn untouched(&self, run: &str) {
        assert!(!self.path(run).exists(), "a run that was refused leaves nothing behind");
    }
}

fn verify(checkpoints: &Path) -> Ended {
    lockstep([OsStr::new("verify"), checkpoints.as_os_str()])
}

/// Digest of the manifest of the state at the end of a run.
fn end_digest(run: &Path) -> String {
    let text = std::fs::read_to_string(run.join("final/latest.json")).expect("a finished run has a final state");
    let pointer: serde_json::Value = serde_json::from_str(&text).expect("a pointer");
    pointer["manifest_digest"].as_str().expect("a digest").to_owned()
}
