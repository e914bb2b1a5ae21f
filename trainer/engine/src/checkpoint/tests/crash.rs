use super::super::{SafeOrder, SaveOptions, SavePolicy, SaveStep, save};
use super::{Place, expectations, recipe, state};
use contract::pointer::LATEST;
use contract::request::StorageRequest;
use contract::storage::StorageLog;
use contract::storage::crash::{CrashState, Tree, crash_states};
use std::sync::Arc;

/// Three saves in a row, the third of which removes the first; then what is wrong in the crash states.
fn losses(policy: impl SavePolicy + 'static) -> (usize, Vec<String>) {
    let place = Place::new();
    let mut storage = place.storage_with(&StorageRequest { log: true, fail: None });
    let options = SaveOptions { chunk_bytes: 400, policy: Arc::new(policy), ..SaveOptions::default() };
    for step in [2, 4, 6] {
        save(&mut storage, step, &recipe(), &state(step), &options).expect("save");
    }
    let log = StorageLog::read(&place.run()).expect("log");
    losses_of(&Tree::default(), &log)
}

fn losses_of(initial: &Tree, log: &StorageLog) -> (usize, Vec<String>) {
    let (mut count, mut lost) = (0, Vec::new());
    for found in crash_states(initial, log).expect("initial tree") {
        let found = found.expect("a log of this trainer");
        count += 1;
        lost.extend(loss(&found));
    }
    (count, lost)
}

/// What a machine that comes up with `found` has lost.
fn loss(found: &CrashState) -> Option<String> {
    let folder = super::folder();
    let root = folder.path().join("state");
    found.tree.write(&root).expect("write");
    let committed = found.committed.as_ref().map(|pointer| pointer.step);
    match super::load(&root, &expectations(), &super::ExactState) {
        Err(error) => Some(format!("{}: {error}", found.description)),
        Ok(loaded) => {
            let step = loaded.as_ref().map(|loaded| loaded.pointer.step);
            let whole = loaded.as_ref().is_none_or(|loaded| loaded.state == state(loaded.pointer.step));
            let kept = step >= committed && whole;
            (!kept).then(|| format!("{}: step {step:?} instead of {committed:?}", found.description))
        }
    }
}

fn is_shard(path: &str) -> bool {
    path.ends_with(".safetensors")
}

#[test]
fn no_crash_loses_the_newest_committed_save() {
    let (count, lost) = losses(SafeOrder);
    assert!(count > 300, "only {count} states");
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn no_crash_of_a_run_that_cleans_up_after_a_kill_loses_the_newest_committed_save() {
    let place = Place::new();
    place.save(2);
    let committed = std::fs::read(place.root().join(LATEST)).expect("pointer");
    place.save(4);
    std::fs::write(place.root().join(LATEST), committed).expect("write");
    std::fs::create_dir(place.root().join(".tmp-step-00000006")).expect("create");
    std::fs::write(place.root().join(".tmp-step-00000006/params.safetensors"), b"half").expect("write");
    std::fs::write(place.root().join("latest.json.tmp"), b"half").expect("write");
    let initial = place.tree();
    let mut storage = place.storage_with(&StorageRequest { log: true, fail: None });
    save(&mut storage, 3, &recipe(), &state(3), &SaveOptions::default()).expect("save");
    let (count, lost) = losses_of(&initial, &StorageLog::read(&place.run()).expect("log"));
    assert!(count > 50, "only {count} states");
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn no_crash_while_a_never_committed_first_save_is_replaced_stops_the_run() {
    let place = Place::new();
    place.save(2);
    std::fs::remove_file(place.root().join(LATEST)).expect("remove");
    let initial = place.tree();
    let mut storage = place.storage_with(&StorageRequest { log: true, fail: None });
    save(&mut storage, 3, &recipe(), &state(3), &SaveOptions::default()).expect("save");
    let (_, lost) = losses_of(&initial, &StorageLog::read(&place.run()).expect("log"));
    assert_eq!(lost, Vec::<String>::new());
}

/// A policy that is one function.
struct Rewrite {
    kept: usize,
    steps: fn(Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>>,
}

impl std::fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rewrite")
    }
}

impl SavePolicy for Rewrite {
    fn rewrite<'a>(&self, steps: Vec<SaveStep<'a>>) -> Vec<SaveStep<'a>> {
        (self.steps)(steps)
    }

    fn kept(&self, _: u32) -> usize {
        self.kept
    }
}

/// At least one crash state of the rewritten save has lost something, and the error says `evidence`.
fn assert_caught(evidence: &str, steps: fn(Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>>) {
    assert_policy_caught(evidence, Rewrite { kept: 2, steps });
}

fn assert_policy_caught(evidence: &str, policy: Rewrite) {
    let (count, lost) = losses(policy);
    assert!(lost.iter().any(|loss| loss.contains(evidence)), "{count} states, lost: {lost:#?}");
}

#[test]
fn a_missing_sync_of_shards_loses_a_save() {
    assert_caught(".safetensors is torn", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncFile { path } if is_shard(path)));
        steps
    });
}

#[test]
fn a_missing_sync_of_the_manifest_loses_a_save() {
    assert_caught("manifest.json was altered", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncFile { path } if path.ends_with("manifest.json")));
        steps
    });
}

#[test]
fn a_missing_sync_of_the_pointer_loses_a_save() {
    assert_caught("latest.json is no pointer", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncFile { path } if path.starts_with("latest")));
        steps
    });
}

#[test]
fn a_missing_sync_of_directories_loses_a_save() {
    assert_caught("step None instead of Some(2)", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncDirectory { .. }));
        steps
    });
}

#[test]
fn a_missing_sync_of_the_temporary_folder_loses_a_save() {
    assert_caught("params.safetensors is missing", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncDirectory { path } if !path.is_empty()));
        steps
    });
}

#[test]
fn renaming_before_syncing_loses_a_save() {
    assert_caught(".safetensors is torn", |mut steps| {
        let at = steps.iter().position(|step| matches!(step, SaveStep::Rename { to, .. } if to.starts_with("step-")));
        let SaveStep::Rename { from, to } = steps.remove(at.expect("a rename")) else { unreachable!() };
        // Everything is published at once, and synced only after the commit.
        let (mut syncs, mut rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(
            |step| matches!(step, SaveStep::SyncFile { path } | SaveStep::SyncDirectory { path } if path.starts_with(".tmp-step-")),
        );
        syncs.iter_mut().for_each(|step| step.relocate(&from, &to));
        let at = rest.iter().position(|step| *step == SaveStep::Commit).expect("a commit");
        rest.splice(at + 1..at + 1, syncs);
        let at =
            rest.iter().rposition(|step| matches!(step, SaveStep::WriteFile { path, .. } if path.starts_with(".tmp-")));
        rest.insert(at.expect("a write") + 1, SaveStep::Rename { from, to });
        rest
    });
}

#[test]
fn removing_the_previous_save_before_the_pointer_is_durable_loses_a_save() {
    fn early(mut steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
        let commit = steps.iter().position(|step| *step == SaveStep::Commit).expect("a commit");
        let mut removal = steps.split_off(commit + 1);
        removal.retain(|step| *step != SaveStep::Prove);
        // Between the rename of the pointer and the sync of the directory.
        steps.splice(commit - 1..commit - 1, removal);
        steps
    }
    assert_policy_caught("the folder step-00000002 is missing", Rewrite { kept: 1, steps: early });
}

#[test]
fn keeping_one_save_loses_nothing_when_it_is_removed_after_the_commit() {
    let (_, lost) = losses(Rewrite { kept: 1, steps: |steps| steps });
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn writing_in_place_loses_a_save() {
    assert_caught(".safetensors is missing", |mut steps| {
        steps.retain(|step| !matches!(step, SaveStep::SyncFile { .. } | SaveStep::SyncDirectory { .. }));
        let at = steps.iter().position(|step| matches!(step, SaveStep::Rename { to, .. } if to.starts_with("step-")));
        let SaveStep::Rename { from, to } = steps.remove(at.expect("a rename")) else { unreachable!() };
        steps.iter_mut().for_each(|step| step.relocate(&from, &to));
        steps
    });
}
