//! A second trainer, in another language and with the standard library alone, under the same suite.

mod common;

use common::{broken, folder, spec, toy};
use contract::claim::Claim;
use contract::verdict::Verdict;
use driver::control::Conduct;
use driver::process::Ending;
use driver::runner::{RunError, RunOutput, Runner};
use judge::Outcome;
use judge::compare::{Comparer, Exact, Mode, Pair};
use std::path::Path;
use std::time::Duration;

fn repeat(left: &RunOutput, right: &RunOutput) -> Outcome {
    let (left, right) = (left.trace(), right.trace());
    Exact.pair(&Pair::new(Claim::Repeat, Mode::Strict, "toy", &left, &right))
}

fn twice(runner: &Runner, folder: &Path) -> Outcome {
    let run = |name: &str| runner.run(&spec(&folder.join(name))).expect("the toy trains");
    repeat(&run("a"), &run("b"))
}

#[test]
fn the_toy_names_its_recipe_describes_it_and_prints_its_plan() {
    let runner = toy();
    assert_eq!(runner.recipes().unwrap(), ["toy"]);
    let description = runner.describe("toy").unwrap();
    assert_eq!((description.recipe.as_str(), description.parts[0].steps), ("toy", 10));
    assert_eq!(runner.plan("toy").unwrap().lines().collect::<Vec<_>>(), description.phases);
    let refused = runner.describe("nope").unwrap_err();
    assert!(matches!(&refused, RunError::Question { message, .. } if message.contains("nope")), "{refused}");
}

#[test]
fn two_runs_of_the_toy_are_equal() {
    let outcome = twice(&toy(), folder().path());
    assert_eq!(outcome.verdict, Verdict::Pass, "{outcome:?}");
}

#[test]
fn a_toy_that_draws_from_the_operating_system_is_caught_by_repeat() {
    let folder = folder();
    let runner = broken(
        &folder,
        r#"state["rng"] = mix(state["rng"])"#,
        r#"state["rng"] = os.urandom(1)[0] << 8 | os.urandom(1)[0]"#,
    );
    let outcome = twice(&runner, folder.path());
    assert_eq!(outcome.verdict, Verdict::Nondeterministic, "{outcome:?}");
}

#[test]
fn one_run_compared_with_itself_is_invalid() {
    let folder = folder();
    let run = toy().run(&spec(&folder.path().join("a"))).unwrap();
    assert_eq!(repeat(&run, &run).verdict, Verdict::Invalid);
}

#[test]
fn a_checkpoint_is_verified_and_an_altered_one_is_refused() {
    let folder = folder();
    let mut spec = spec(&folder.path().join("a"));
    let checkpoints = folder.path().join("checkpoints");
    spec.checkpoints = Some(checkpoints.clone());
    let run = toy().run(&spec).unwrap();
    let pointer = toy().verify(&checkpoints).unwrap();
    assert_eq!((pointer.step, Some(&pointer)), (10, run.latest_after.as_ref()));
    std::fs::write(checkpoints.join(&pointer.directory).join("state.json"), "{}").unwrap();
    assert!(matches!(toy().verify(&checkpoints), Err(RunError::Question { .. })));
}

#[test]
fn a_trace_of_another_run_is_invalid() {
    let folder = folder();
    let runner = broken(&folder, r#""nonce": request["nonce"]"#, r#""nonce": "00""#);
    let error = runner.run(&spec(&folder.path().join("a"))).unwrap_err();
    assert!(matches!(error, RunError::Nonce { .. }), "{error}");
    assert_eq!(error.verdict(), Verdict::Invalid);
    let runner = broken(&folder, r#""started_ns": time.time_ns()"#, r#""started_ns": 1"#);
    let error = runner.run(&spec(&folder.path().join("b"))).unwrap_err();
    assert_eq!(error.verdict(), Verdict::Invalid, "{error}");
}

#[test]
fn a_run_that_fails_says_its_exit_code_and_its_last_words() {
    let folder = folder();
    let runner = broken(
        &folder,
        "    saver.wait()\n    leave(\"counters",
        "    sys.exit(\"out of luck\")\n    leave(\"counters",
    );
    let error = runner.run(&spec(&folder.path().join("a"))).unwrap_err();
    let told = matches!(&error, RunError::Exit { ending: Ending::Code(1), message, .. } if message == "out of luck");
    assert!(told, "{error}");
    assert_eq!(error.verdict(), Verdict::Infra);
}

#[test]
fn a_run_that_hangs_is_killed_and_reported() {
    let folder = folder();
    let runner = broken(&folder, "    saver.wait()\n    leave(\"counters", "    time.sleep(600)\n    leave(\"counters");
    let mut spec = spec(&folder.path().join("a"));
    spec.timeout = Some(Duration::from_millis(500));
    let error = runner.run(&spec).unwrap_err();
    assert!(matches!(error, RunError::TimedOut { .. }), "{error}");
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let folder = folder();
    let mut adapter = toy().adapter().clone();
    adapter.train = vec!["/no/such/program".into()];
    let error = Runner::new(adapter, Duration::from_secs(5)).run(&spec(&folder.path().join("a"))).unwrap_err();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
}

#[test]
fn a_line_that_is_no_announcement_ends_the_run() {
    let folder = folder();
    let runner = broken(&folder, r#"{"rank": 0, "wait": wait, "point": point}"#, r#"{"rank": 0}"#);
    let conduct = Conduct::Decide(&mut |_| driver::control::Answer::Go);
    let error = runner.attempt(&spec(&folder.path().join("a")), conduct).unwrap_err();
    assert!(matches!(error, RunError::Control { .. }), "{error}");
}
