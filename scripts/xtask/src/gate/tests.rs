use super::{Gate, Step, recipes, steps};
use clap::ValueEnum;
use std::fs;
use xshell::Shell;

fn lines(gate: Gate) -> Vec<String> {
    steps(gate, &["a".to_owned(), "b".to_owned()]).iter().map(Step::line).collect()
}

#[test]
fn every_gate_runs_something() {
    for gate in Gate::value_variants() {
        assert!(!lines(*gate).is_empty(), "{gate:?}");
    }
}

#[test]
fn the_full_gate_runs_every_recipe_and_ends_with_tidy() {
    let lines = lines(Gate::Full);
    for recipe in ["a", "b"] {
        let line = format!("cargo test --test determinism -- --recipe {recipe}");
        assert!(lines.contains(&line), "{lines:?}");
    }
    assert_eq!(lines.last().map(String::as_str), Some("cargo xtask tidy"));
}

#[test]
fn profiles_build_into_folders_of_their_own() {
    let lines = lines(Gate::Profiles);
    assert_eq!(lines.len(), 3);
    for (line, folder) in lines.iter().zip(["dev", "release", "unoptimised"]) {
        assert!(line.contains(&format!("--target-dir target/profiles/{folder} ")), "{line}");
    }
    assert!(lines[2].starts_with("CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test"), "{}", lines[2]);
}

#[test]
fn a_failing_step_is_an_error_and_the_environment_reaches_it() {
    let shell = Shell::new().expect("a shell");
    assert!(Step::new("false").run(&shell).is_err());
    assert!(Step::new("printenv LOCKSTEP_PROBE").run(&shell).is_err());
    assert!(Step::new("printenv LOCKSTEP_PROBE").with("LOCKSTEP_PROBE", "1").run(&shell).is_ok());
}

#[test]
fn recipes_are_sorted_and_none_is_an_error() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let folder = root.path().join("suite/recipes");
    assert!(recipes(root.path()).is_err());
    fs::create_dir_all(&folder).expect("a folder");
    assert!(recipes(root.path()).is_err());
    for name in ["b.yaml", "a.yaml", "notes.txt"] {
        fs::write(folder.join(name), "").expect("a file");
    }
    assert_eq!(recipes(root.path()).expect("two recipes"), ["a", "b"]);
}
