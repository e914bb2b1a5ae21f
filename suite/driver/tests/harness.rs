//! The whole harness against a trainer that it knows by an adapter file alone.

mod under_test;

use std::process::ExitCode;
use under_test::{Root, main_of};

fn main() -> ExitCode {
    main_of(&[
        ("a_sound_trainer_passes_repeat_and_resume_and_counts_its_kills", sound),
        ("a_trainer_that_reads_the_clock_is_nondeterministic_and_named", clock),
        ("a_trainer_that_forgets_its_momentum_breaks_resume_and_is_named", forgetful),
        ("a_trainer_that_swallows_storage_errors_breaks_resume", swallows),
        ("a_trainer_that_dies_is_infra_and_never_a_pass", dies),
        ("a_missing_list_and_a_wrong_list_are_coverage_gaps", lists),
        ("a_filter_that_matches_nothing_and_an_unknown_recipe_are_red", nothing),
        ("retries_and_forced_snapshots_are_refused", refused),
        ("the_list_is_that_of_libtest", list),
        ("an_option_that_is_none_is_a_usage_error", usage),
        ("the_command_of_a_failure_repeats_it", repeats),
    ])
}

fn sound() {
    let root = Root::new();
    let called = root.call(&["--recipe", "toy", "--claim", "repeat,resume", "--seed", "11", "--skip", "crash_states"]);
    called.ended(0).says("seed: 11").says("verdict: PASS").says("kill points: listed");
    let report = called.report.as_ref().unwrap();
    let points = &report["kill_points"];
    assert!(points["listed"].as_u64().unwrap() > 40, "{points}");
    assert!(points["listed"] == points["killed"] && points["killed"] == points["resumed"], "{points}");
    assert_eq!(called.trial("toy::canary")["outcome"]["verdict"], "PASS");
    assert!(
        !root
            .path()
            .join("target/lockstep")
            .read_dir()
            .unwrap()
            .flatten()
            .any(|entry| { entry.path().join("trials").read_dir().is_ok_and(|mut trials| trials.next().is_some()) }),
        "folders of trials that passed are removed"
    );
    let page = std::fs::read_to_string(root.path().join("target/lockstep/report/report.html")).unwrap();
    assert!(page.contains("<h1 class=\"PASS\">"));
}

fn clock() {
    let root = Root::new();
    let trainer = root.toy(&[(
        "state[\"rng\"] = mix(state[\"rng\"])",
        "state[\"rng\"] = mix(time.time_ns()) if step == 4 else mix(state[\"rng\"])",
    )]);
    let called = root.call(&["--recipe", "toy", "--claim", "repeat", "--trainer", &trainer]);
    called.ended(10).says("NONDETERMINISTIC repeat · toy::end_to_end::repeat").says("rng/dropout");
    let trial = called.trial("toy::end_to_end::repeat");
    assert_eq!(trial["outcome"]["divergence"]["step"], 4);
    assert_eq!(trial["heat_map"]["ranks"][0][3], "equal");
    assert_eq!(trial["heat_map"]["ranks"][0][4], "different");
    assert!(trial["failure"].as_str().unwrap().lines().count() <= 12);
}

fn forgetful() {
    let root = Root::new();
    let trainer =
        root.toy(&[("return pointer, json.loads(text)", "return pointer, {**json.loads(text), \"m\": [0.0] * WIDTH}")]);
    let name = "toy::end_to_end::resume::steps";
    let called = root.call(&["--recipe", "toy", "--exact", name, "--trainer", &trainer]);
    called.ended(13).says("RESUME_BREAK resume").says("optimizer/momentum");
    let facts = called.trial(name)["outcome"]["facts"].to_string();
    assert!(facts.contains("killed alone at"), "{facts}");
}

fn swallows() {
    let root = Root::new();
    let trainer = root.toy(&[("raise OSError(ERRORS[self.fail[\"error\"]], \"injected\", path)", "pass")]);
    let called = root.call(&["--recipe", "toy", "storage_errors", "--trainer", &trainer]);
    called.ended(13).says("the error was swallowed");
}

fn dies() {
    let root = Root::new();
    let trainer = root
        .toy(&[("def train(request, resume):", "def train(request, resume):\n    sys.exit(\"::error::boom ##[x]\")")]);
    let called = root.call(&["--recipe", "toy", "repeat", "--trainer", &trainer]);
    called.ended(23).says("INFRA repeat").says("boom ## [x]");
    assert!(!called.stdout.lines().any(|line| line.trim_start().starts_with("::")), "{}", called.stdout);
    let told = root.call_with(&["--recipe", "toy", "repeat", "--trainer", &trainer], &[("GITHUB_ACTIONS", "true")]);
    let commands: Vec<_> = told.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert!(
        commands.len() == 1 && commands[0].starts_with("::error title=toy INFRA (1 trials failed)::"),
        "{commands:?}"
    );
}

fn lists() {
    let root = Root::new();
    root.call(&["--recipe", "toy", "coverage"]).ended(20).says("toy.txt");
    std::fs::write(root.path().join("suite/mustpass/toy.txt"), "toy::gone\n").unwrap();
    root.call(&["--recipe", "toy", "coverage"]).ended(20).says("- toy::gone");
    let all = root.call(&["--recipe", "toy", "--list", "--format", "terse"]);
    let names: String =
        all.stdout.lines().filter_map(|line| line.strip_suffix(": test")).map(|line| format!("{line}\n")).collect();
    std::fs::write(root.path().join("suite/mustpass/toy.txt"), names).unwrap();
    root.call(&["--recipe", "toy", "coverage"]).ended(20).says("level kernel has no trial of claim repeat");
    root.call(&["coverage"]).ended(20).says("quick.txt");
    std::fs::write(root.path().join("suite/mustpass/quick.txt"), "# quick\ntoy::end_to_end::repeat\n").unwrap();
    root.call(&[]).ended(0).says("verdict: PASS (1 trials)");
}

fn nothing() {
    let root = Root::new();
    root.call(&["--recipe", "toy", "repaet"]).ended(20).says("no trial matches").says("did you mean `repeat`?");
    root.call(&["--recipe", "tpy"]).ended(20).says("unknown recipe `tpy`; did you mean `toy`?");
    root.call(&["--recipe", "toy", "--level", "kernel"]).ended(20).says("no trial matches");
}

fn refused() {
    let root = Root::new();
    for (name, value) in [("NEXTEST_ATTEMPT", "2"), ("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1")] {
        root.call_with(&["--recipe", "toy", "canary"], &[(name, value)]).ended(23).says(name);
    }
}

fn list() {
    let root = Root::new();
    let called = root.call(&["--recipe", "toy", "--list", "--format", "terse"]);
    called.ended(0);
    assert!(
        called.stdout.lines().any(|line| line == "toy::end_to_end::resume::crash_states: test"),
        "{}",
        called.stdout
    );
    let ignored = root.call(&["--recipe", "toy", "--list", "--format", "terse", "--ignored"]);
    assert_eq!(ignored.ended(0).stdout.trim(), "");
    assert!(!root.path().join("target").exists(), "a list starts no run");
}

fn usage() {
    Root::new().call(&["--recpie", "toy"]).ended(2).says("--recipe");
    Root::new().call(&["--help"]).ended(0).says("--seed");
}

fn repeats() {
    let root = Root::new();
    let trainer = root.toy(&[(
        "trace.state(step, \"state\", state)",
        "state[\"w\"][0] += request[\"perturbation\"] is not None; trace.state(step, \"state\", state)",
    )]);
    let called = root.call(&["--recipe", "toy", "--claim", "repeat", "--trainer", &trainer]);
    let trial = called.ended(10).trial("toy::end_to_end::repeat");
    let command = trial["reproduce"].as_str().unwrap();
    let (cargo, arguments) = command.split_once(" -- ").unwrap();
    assert_eq!(cargo, "cargo test --test determinism");
    let arguments: Vec<_> = arguments.split(' ').chain(["--trainer", &trainer]).collect();
    let again = root.call(&arguments);
    let again = again.ended(10).trial("toy::end_to_end::repeat");
    assert_eq!(again["outcome"]["divergence"], trial["outcome"]["divergence"]);
}
