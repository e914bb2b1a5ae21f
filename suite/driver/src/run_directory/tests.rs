use super::*;
use crate::process::Ending;
use crate::runner::{RunError, RunOutput, Start};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn invocation(root: &Path, id: &str) -> Invocation {
    let opened = Invocation::open_as(root, id).unwrap();
    // The order of invocations is that of their times, and a file system's clock is coarse.
    thread::sleep(Duration::from_millis(15));
    opened
}

fn names(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_newest_invocations_and_all_failures_are_kept() {
    let root = tempfile::tempdir().unwrap();
    for id in ["a", "b", "c", "d", "e"] {
        let invocation = invocation(root.path(), id);
        invocation.trial("toy/resume: passed").unwrap();
        if id == "b" {
            invocation.trial("failed").unwrap().failed().unwrap();
        }
    }
    assert_eq!(names(root.path()), ["b", "c", "d", "e"].map(str::to_owned).into());
    assert_eq!(names(&root.path().join("b/trials")), ["failed".to_owned()].into());
    assert_eq!(names(&root.path().join("c/trials")), ["toy-resume--passed".to_owned()].into());
}

#[test]
fn an_invocation_in_use_is_not_touched() {
    let root = tempfile::tempdir().unwrap();
    let old = invocation(root.path(), "old");
    old.trial("running").unwrap();
    for id in ["a", "b", "c", "d"] {
        drop(invocation(root.path(), id));
    }
    assert_eq!(names(root.path()), ["b", "c", "d", "old"].map(str::to_owned).into());
    assert!(old.directory().join("trials/running").exists());
}

#[test]
fn a_trial_without_failure_can_be_discarded() {
    let root = tempfile::tempdir().unwrap();
    let trial = Invocation::open_as(root.path(), "a").unwrap().trial("t").unwrap();
    fs::create_dir_all(trial.run("plain").join("trace")).unwrap();
    trial.discard().unwrap();
    assert!(!trial.directory.exists());
}

fn made(directory: &Path) -> Result<RunOutput, RunError> {
    let nonce = nonce::draw();
    fs::create_dir_all(directory.join("trace")).unwrap();
    let file = serde_json::json!({
        "schema": 1, "nonce": nonce, "pid": 1, "started_ns": 1, "binary_digest": "", "recipe": "toy",
        "recipe_digest": "", "part": "end_to_end", "ranks": 1,
    });
    fs::write(directory.join("trace/run.json"), file.to_string()).unwrap();
    Ok(RunOutput {
        directory: directory.to_owned(),
        checkpoints: None,
        nonce,
        pid: 1,
        start: Start::Train,
        ending: Ending::Code(0),
        killed: false,
        killed_at: None,
        announcements: Vec::new(),
        latest_before: None,
        latest_after: None,
        loaded: None,
        left_behind: 0,
        message: String::new(),
        wall_seconds: 0.5,
    })
}

#[test]
fn a_shared_run_is_made_once_however_many_ask_for_it() {
    let root = tempfile::tempdir().unwrap();
    let invocation = Invocation::open_as(root.path(), "a").unwrap();
    let count = AtomicUsize::new(0);
    let ask = || {
        let make = |directory: &Path| {
            count.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(30));
            made(directory)
        };
        invocation.shared().unwrap().get_or_make("key", make).unwrap().nonce
    };
    let nonces: BTreeSet<_> =
        thread::scope(|scope| [0; 4].map(|_| scope.spawn(ask)).map(|thread| thread.join().unwrap()).into());
    assert_eq!((nonces.len(), count.into_inner()), (1, 1));
}

#[test]
fn a_half_made_a_vanished_and_another_run_are_made_again() {
    let root = tempfile::tempdir().unwrap();
    let shared = Invocation::open_as(root.path(), "a").unwrap().shared().unwrap();
    let half = root.path().join("a/shared/key/trace");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("junk"), "").unwrap();
    let first = shared.get_or_make("key", made).unwrap();
    assert!(!half.join("junk").exists());
    assert_eq!(shared.get_or_make("key", |_| panic!("it is there")).unwrap(), first);
    let path = first.trace().join("run.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace(&first.nonce, "00")).unwrap();
    let second = shared.get_or_make("key", made).unwrap();
    fs::remove_dir_all(&second.directory).unwrap();
    let third = shared.get_or_make("key", made).unwrap();
    assert!(first.nonce != second.nonce && second.nonce != third.nonce);
}

#[test]
fn a_run_that_failed_is_remembered_with_its_verdict_and_not_tried_again() {
    let root = tempfile::tempdir().unwrap();
    let shared = Invocation::open_as(root.path(), "a").unwrap().shared().unwrap();
    let fail =
        |directory: &Path| Err(RunError::Nonce { expected: "a".into(), found: "b".into(), path: directory.to_owned() });
    assert!(shared.get_or_make("key", fail).is_err());
    let again = shared.get_or_make("key", |_| panic!("it must not be tried again")).unwrap_err();
    assert_eq!(again.verdict(), contract::verdict::Verdict::Invalid);
    assert!(again.to_string().contains("not of this run"), "{again}");
}
