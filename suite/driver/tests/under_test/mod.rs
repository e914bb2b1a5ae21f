//! Calls the harness as a process: the test binary is also the harness under test.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

/// With this variable set the binary is nothing but the harness.
const SELF: &str = "HARNESS_UNDER_TEST";

#[expect(clippy::disallowed_methods, reason = "tells the harness under test from its test")]
pub fn main_of(tests: &[(&'static str, fn())]) -> ExitCode {
    if std::env::var_os(SELF).is_some() {
        let adapter = driver::harness::AdapterSource::File(toy_folder().join("adapter.yaml"));
        return driver::harness::harness_main(adapter, &toy_folder().join("toy_trainer.py"));
    }
    let trials = tests.iter().map(|&(name, test)| Trial::test(name, move || run(test))).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(test: fn()) -> Result<(), Failed> {
    std::panic::catch_unwind(test).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default().into()
    })
}

pub fn toy_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy")
}

/// `PATH` with the folder of the interpreter itself in front: `python3` may be a launcher ten times slower than it.
#[expect(clippy::disallowed_methods, reason = "tells the harness under test from its test")]
fn path_of_python() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let ask = ["-I", "-S", "-c", "import os, sys; print(os.path.dirname(sys.executable))"];
        let answer = Command::new("python3").args(ask).output().expect("python3 can be started");
        let folder = String::from_utf8(answer.stdout).expect("the path is text");
        format!("{}:{}", folder.trim_end(), std::env::var("PATH").unwrap_or_default())
    })
}

/// A root of its own, with the lists that a test wants.
pub struct Root {
    folder: tempfile::TempDir,
}

pub struct Called {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    pub report: Option<Value>,
}

impl Root {
    pub fn new() -> Self {
        let root = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(root.path().join("suite/mustpass")).unwrap();
        std::fs::create_dir_all(root.path().join("golden")).unwrap();
        root
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Path of a copy of the toy trainer in which pieces of text are replaced.
    pub fn toy(&self, replacements: &[(&str, &str)]) -> String {
        let mut text = std::fs::read_to_string(toy_folder().join("toy_trainer.py")).unwrap();
        for (from, to) in replacements {
            assert_eq!(text.matches(from).count(), 1, "`{from}` is the text to replace");
            text = text.replace(from, to);
        }
        let path = self.path().join("trainer.py");
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    pub fn call(&self, arguments: &[&str]) -> Called {
        self.call_with(arguments, &[])
    }

    pub fn call_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Called {
        let json = self.path().join("report.json");
        let _absent = std::fs::remove_file(&json);
        let mut command = Command::new(std::env::current_exe().unwrap());
        for name in ["CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NEXTEST_RUN_ID", "NEXTEST_ATTEMPT", "INSTA_UPDATE"]
        {
            command.env_remove(name);
        }
        command.args(arguments).env(SELF, "1").env("LOCKSTEP_ROOT", self.path()).env("LOCKSTEP_JSON", &json);
        command
            .env("PATH", path_of_python())
            .env("CARGO_TARGET_DIR", self.path().join("target"))
            .envs(variables.iter().copied());
        let output = command.output().unwrap();
        Called {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            report: std::fs::read(&json).ok().map(|text| serde_json::from_slice(&text).unwrap()),
        }
    }
}

impl Called {
    #[track_caller]
    pub fn ended(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "no `{text}` in\n{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    pub fn trial(&self, name: &str) -> &Value {
        let trials = self.report.as_ref().expect("a report was written")["trials"].as_array().unwrap();
        trials.iter().find(|trial| trial["trial"] == name).unwrap_or_else(|| panic!("no trial {name}"))
    }
}
