//! Storage that fails under the toy trainer.

mod common;

use common::{broken, folder, spec, toy};
use driver::kill::{Selection, StorageTrial, full_disk, list_points, storage_errors};
use driver::process::Ending;
use driver::runner::Runner;
use std::path::Path;

fn trials(runner: &Runner, folder: &Path, selection: Selection) -> Vec<StorageTrial> {
    let listing = list_points(runner, &spec(folder), false, &folder.join("listing")).expect("the toy trains");
    storage_errors(runner, &spec(folder), &listing, selection, &folder.join("errors"))
}

fn final_state(directory: &Path) -> Vec<u8> {
    std::fs::read(directory.join("trace/final/state.json")).expect("a whole run leaves its state")
}

#[test]
fn after_each_storage_error_the_toy_says_so_and_resumes_to_the_same_state() {
    let folder = folder();
    let plain = toy().run(&spec(&folder.path().join("plain"))).unwrap();
    let trials = trials(&toy(), folder.path(), Selection::Seeded { seed: 5, count: 8 });
    assert_eq!(trials.len(), 8);
    for trial in trials {
        assert_eq!(trial.problem, None, "{trial:?}");
        let failed = trial.failed.as_ref().unwrap();
        assert!(failed.ending == Ending::Code(3) && failed.message.contains("injected"), "{trial:?}");
        assert_eq!(final_state(&trial.resumed.unwrap().directory), final_state(&plain.directory));
    }
}

#[test]
fn a_toy_that_swallows_a_storage_error_is_told_from_one_that_stops() {
    let folder = folder();
    let runner = broken(&folder, "raise OSError(ERRORS[self.fail[\"error\"]], \"injected\", path)", "return act()");
    let trials = trials(&runner, folder.path(), Selection::Seeded { seed: 5, count: 1 });
    assert!(trials[0].problem.as_ref().is_some_and(|problem| problem.contains("swallowed")), "{trials:?}");
}

#[test]
fn on_a_full_disk_the_toy_stops_and_resumes_when_there_is_room() {
    let folder = folder();
    let plain = toy().run(&spec(&folder.path().join("plain"))).unwrap();
    // Five pages: a checkpoint takes three, and the one before is kept while the next is written.
    match full_disk(&toy(), &spec(folder.path()), 5 * 4096, &folder.path().join("disk")) {
        Err(not_compared) => assert!(!not_compared.reason.is_empty()),
        Ok(trial) => {
            assert_eq!(trial.problem, None, "{trial:?}");
            let failed = trial.failed.unwrap();
            assert!(failed.ending == Ending::Code(3) && failed.message.contains("No space left"), "{failed:?}");
            assert!(failed.latest_after.is_some(), "the first checkpoint had room");
            assert_eq!(final_state(&trial.resumed.unwrap().directory), final_state(&plain.directory));
        }
    }
}
