use super::super::{Act, Line, Operation, StorageLog};
use super::{CrashState, Tree, crash_states};
use crate::pointer::{LATEST, Pointer};
use std::sync::Arc;

fn log(acts: Vec<Act>, data: &[&[u8]]) -> StorageLog {
    let operation = |(ordinal, act)| {
        let ordinal = ordinal as u64;
        Line::Operation(Operation { ordinal, save: 1, save_ordinal: ordinal, asynchronous: false, act, error: None })
    };
    StorageLog {
        lines: acts.into_iter().enumerate().map(operation).collect(),
        data: data.iter().map(|bytes| (digest(bytes), Arc::from(*bytes))).collect(),
    }
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn create(path: &str) -> Act {
    Act::CreateFile { path: path.to_owned() }
}

fn write(path: &str, offset: u64, bytes: &[u8]) -> Act {
    Act::Write { path: path.to_owned(), offset, length: bytes.len() as u64, digest: digest(bytes) }
}

fn rename(from: &str, to: &str) -> Act {
    Act::Rename { from: from.to_owned(), to: to.to_owned() }
}

fn sync_file(path: &str) -> Act {
    Act::SyncFile { path: path.to_owned() }
}

fn sync_root() -> Act {
    Act::SyncDirectory { path: String::new() }
}

fn states(initial: &Tree, log: &StorageLog) -> Vec<CrashState> {
    crash_states(initial, log).expect("initial tree").collect::<Result<_, _>>().expect("log")
}

/// Contents that `path` has in any state; `None` is "not there".
fn contents(log: &StorageLog, path: &str) -> Vec<Option<Vec<u8>>> {
    let all = states(&Tree::default(), log);
    let mut found: Vec<_> = all.iter().map(|state| state.tree.files.get(path).map(|bytes| bytes.to_vec())).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn an_unsynced_write_is_there_or_gone_or_half_or_zeros() {
    let log = log(vec![create("a"), sync_root(), write("a", 0, b"wxyz")], &[b"wxyz"]);
    let expected: [Option<&[u8]>; 5] = [None, Some(b""), Some(b"\0\0\0\0"), Some(b"wx"), Some(b"wxyz")];
    assert_eq!(contents(&log, "a"), expected.map(|bytes| bytes.map(<[u8]>::to_vec)));
}

#[test]
fn a_lost_write_before_a_surviving_one_leaves_a_hole() {
    let log = log(vec![create("a"), sync_root(), write("a", 0, b"wx"), write("a", 2, b"yz")], &[b"wx", b"yz"]);
    assert!(contents(&log, "a").contains(&Some(b"\0\0yz".to_vec())));
}

#[test]
fn a_synced_file_without_a_synced_directory_is_whole_or_absent() {
    let acts = vec![create("a"), write("a", 0, b"wxyz"), sync_file("a"), rename("a", "b")];
    assert_eq!(contents(&log(acts, &[b"wxyz"]), "b"), [None, Some(b"wxyz".to_vec())]);
    let unsynced = vec![create("a"), write("a", 0, b"wxyz"), rename("a", "b")];
    assert!(contents(&log(unsynced, &[b"wxyz"]), "b").contains(&Some(b"wx".to_vec())));
}

#[test]
fn after_every_sync_one_state_is_left() {
    let acts = vec![create("a"), write("a", 0, b"wxyz"), sync_file("a"), rename("a", "b"), create("c"), sync_root()];
    let log = log(acts, &[b"wxyz"]);
    let mut disk = super::disk::Disk::new(&Tree::default());
    for line in &log.lines {
        let Line::Operation(operation) = line else { unreachable!() };
        disk.apply(&operation.act, &log.data).expect("a log of this test");
    }
    let survivals = super::disk::Survival::bounded(&disk);
    let mut trees: Vec<_> = survivals.iter().map(|survival| disk.survivors(survival).tree()).collect();
    trees.dedup();
    assert_eq!(trees.len(), 1);
    assert_eq!(*trees[0].files["b"], *b"wxyz");
}

#[test]
fn a_rename_happens_at_both_ends_or_at_none() {
    let mut initial = Tree::default();
    initial.files.insert("a".to_owned(), Arc::from(*b"one"));
    let log = log(vec![rename("a", "b")], &[]);
    for state in states(&initial, &log) {
        assert_eq!(state.tree.files.len(), 1, "{}", state.description);
    }
}

#[test]
fn a_file_that_is_synced_keeps_its_bytes_in_every_state() {
    let acts = vec![create("a"), write("a", 0, b"wxyz"), sync_file("a"), sync_root(), create("b"), create("c")];
    let log = log(acts, &[b"wxyz"]);
    let later: Vec<_> = states(&Tree::default(), &log).into_iter().filter(|state| state.prefix >= 4).collect();
    assert!(later.len() >= 3);
    assert!(later.iter().all(|state| *state.tree.files["a"] == *b"wxyz"));
}

#[test]
fn a_failed_operation_changes_nothing() {
    let mut log = log(vec![create("a"), sync_root()], &[]);
    let Line::Operation(operation) = &mut log.lines[0] else { unreachable!() };
    operation.error = Some("no space".to_owned());
    assert!(states(&Tree::default(), &log).iter().all(|state| state.tree.files.is_empty()));
}

#[test]
fn the_committed_save_is_that_of_the_prefix() {
    let pointer = |step| Pointer {
        schema: 1,
        step,
        directory: format!("step-{step:08}"),
        manifest_digest: digest(format!("{step}").as_bytes()),
    };
    let mut initial = Tree::default();
    let bytes = serde_json::to_vec(&pointer(1)).expect("plain data");
    initial.files.insert(LATEST.to_owned(), bytes.into());
    let mut log = log(vec![create("a"), create("b")], &[]);
    log.lines.insert(1, Line::Committed(pointer(2)));
    let found = states(&initial, &log);
    let steps: Vec<_> = found.iter().map(|state| state.committed.as_ref().expect("always one").step).collect();
    assert!(steps.is_sorted());
    assert_eq!((steps.first(), steps.last()), (Some(&1), Some(&2)));
}

#[test]
fn states_are_unique_and_deterministic() {
    let acts = vec![create("a"), write("a", 0, b"wx"), create("b"), write("b", 0, b"wx"), sync_file("a"), sync_root()];
    let log = log(acts, &[b"wx"]);
    let first = states(&Tree::default(), &log);
    let mut trees: Vec<_> = first.iter().map(|state| (&state.tree.files, &state.tree.directories)).collect();
    trees.sort_unstable();
    trees.dedup();
    assert_eq!(trees.len(), first.len());
    assert_eq!(first, states(&Tree::default(), &log));
}

#[test]
fn a_log_that_contradicts_itself_is_an_error() {
    let log = log(vec![rename("a", "b"), create("c")], &[]);
    let found: Vec<_> = crash_states(&Tree::default(), &log).expect("initial tree").collect();
    let message = found.last().expect("an item").as_ref().expect_err("an error").to_string();
    assert!(message.contains("`a` does not exist"), "{message}");
}

#[test]
fn a_tree_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut tree = Tree::default();
    tree.directories.extend(["a".to_owned(), "a/b".to_owned(), "empty".to_owned()]);
    tree.files.insert("a/b/c".to_owned(), Arc::from(*b"bytes"));
    let target = folder.path().join("state");
    tree.write(&target).expect("write");
    assert_eq!(Tree::read(&target).expect("read"), tree);
    assert!(tree.write(&target).is_err(), "a directory with content is not overwritten");
}

#[test]
fn a_directory_becomes_any_other_tree_and_shared_files_are_left_alone() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let target = folder.path().join("state");
    let tree = |files: &[(&str, &Arc<[u8]>)], directories: &[&str]| Tree {
        files: files.iter().map(|(path, bytes)| ((*path).to_owned(), Arc::clone(bytes))).collect(),
        directories: directories.iter().map(|path| (*path).to_owned()).collect(),
    };
    let [kept, changed, gone] = ["kept", "changed", "gone"].map(|text| Arc::<[u8]>::from(text.as_bytes()));
    let before = tree(&[("kept", &kept), ("changed", &kept), ("old/deep/gone", &gone)], &["old", "old/deep"]);
    let after = tree(&[("kept", &kept), ("changed", &changed), ("new/one", &gone)], &["new"]);
    before.write(&target).expect("write");
    let stamp = |path: &str| Tree::stamps(&target).expect("stamps")[&target.join(path)];
    let first = stamp("kept");
    after.replace(&before, &target).expect("replace");
    assert_eq!(Tree::read(&target).expect("read"), after);
    assert_eq!(stamp("kept"), first);
    std::fs::write(target.join("kept"), b"other").expect("write");
    assert_ne!(stamp("kept"), first);
}
