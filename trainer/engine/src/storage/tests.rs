use super::{Entry, Source, Storage, StorageError, for_each_chunk};
use crate::control::Control;
use contract::control::{Announcement, GO, Point};
use contract::request::{StorageErrorKind, StorageFailure, StorageRequest};
use contract::storage::{Act, Line, Operation, StorageLog};
use proptest::prelude::*;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;

fn open(folder: &Path, log: bool, fail: Option<(u64, StorageErrorKind)>) -> Storage {
    let fail = fail.map(|(ordinal, error)| StorageFailure { ordinal, error });
    let run = folder.join("run");
    std::fs::create_dir_all(&run).expect("run directory");
    Storage::open(&folder.join("save"), &StorageRequest { log, fail }, &run, Control::inert()).expect("open")
}

/// One of each operation, 11 in all.
fn all_operations(storage: &mut Storage) -> Result<(), StorageError> {
    storage.begin_save(4, false);
    storage.create_directory("a")?;
    storage.write_file("a/f", &[b"wxy", b"z"], 3)?;
    storage.sync_file("a/f")?;
    storage.sync_directory("a")?;
    storage.read("a/f")?;
    storage.list("a")?;
    storage.rename("a/f", "g")?;
    storage.remove_file("g")?;
    storage.remove_directory("a")
}

fn acts(log: &StorageLog) -> Vec<(String, String)> {
    let operation = |line: &Line| match line {
        Line::Operation(Operation { act, .. }) => (act.name().to_owned(), act.target()),
        Line::Committed(_) => unreachable!("nothing was committed"),
    };
    log.lines.iter().map(operation).collect()
}

#[test]
fn the_log_holds_every_operation_and_the_bytes_of_every_write() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(folder.path(), true, None);
    all_operations(&mut storage).expect("no failure");
    assert_eq!(storage.operation_count(), 11);
    assert_eq!(storage.bytes_written(), 4);
    let log = StorageLog::read(&folder.path().join("run")).expect("log");
    let expected = [
        ("create_directory", "a"),
        ("create_file", "a/f"),
        ("write", "a/f at 0"),
        ("write", "a/f at 3"),
        ("sync_file", "a/f"),
        ("sync_directory", "a"),
        ("read", "a/f"),
        ("list", "a"),
        ("rename", "a/f -> g"),
        ("remove_file", "g"),
        ("remove_directory", "a"),
    ];
    assert_eq!(acts(&log), expected.map(|(name, target)| (name.to_owned(), target.to_owned())));
    let Line::Operation(Operation { act: Act::Write { digest, length, .. }, .. }) = &log.lines[2] else {
        unreachable!("the third operation is a write")
    };
    assert_eq!((&*log.data[digest], *length), (&b"wxy"[..], 3));
}

#[test]
fn without_a_request_nothing_is_logged() {
    let folder = tempfile::tempdir().expect("temporary directory");
    all_operations(&mut open(folder.path(), false, None)).expect("no failure");
    assert_eq!(std::fs::read_dir(folder.path().join("run")).expect("run directory").count(), 0);
}

#[test]
fn every_ordinal_can_fail_with_every_error_and_then_changes_nothing() {
    for error in [StorageErrorKind::Enospc, StorageErrorKind::Eio, StorageErrorKind::Erofs] {
        for ordinal in 0..11 {
            let folder = tempfile::tempdir().expect("temporary directory");
            let mut storage = open(folder.path(), true, Some((ordinal, error)));
            let message = all_operations(&mut storage).expect_err("one operation fails").to_string();
            assert!(message.contains(&format!("operation {ordinal} of the run")), "{message}");
            assert_eq!(storage.operation_count(), ordinal + 1);
            let log = StorageLog::read(&folder.path().join("run")).expect("log");
            let Some(Line::Operation(last)) = log.lines.last() else { unreachable!("something was logged") };
            assert!(last.error.is_some() && last.ordinal == ordinal);
        }
    }
}

#[test]
fn a_short_write_takes_half_and_the_rest_finds_a_full_device() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(folder.path(), true, Some((1, StorageErrorKind::ShortWrite)));
    let error = storage.write_file("f", &[b"wxyz"], 100).expect_err("full");
    assert!(error.to_string().contains("f at 2"), "{error}");
    assert_eq!(std::fs::read(folder.path().join("save/f")).expect("file"), b"wx");
    let log = StorageLog::read(&folder.path().join("run")).expect("log");
    let lengths: Vec<_> = log
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Operation(Operation { act: Act::Write { length, .. }, error, .. }) => {
                Some((*length, error.is_some()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(lengths, [(2, false), (2, true)]);
    assert!(storage.write_file("g", &[b"w"], 100).is_err(), "the device stays full");
}

#[test]
fn an_operation_is_announced_before_it_runs() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let socket = folder.path().join("control");
    let listener = UnixListener::bind(&socket).expect("bind");
    let control = Control::connect(Some(&socket), 0).expect("connect");
    let mut driver = BufReader::new(listener.accept().expect("accept").0);
    let root = folder.path().join("save");
    let mut storage = Storage::open(&root, &StorageRequest::default(), folder.path(), control).expect("open");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            storage.begin_save(8, true);
            storage.create_directory("a")
        });
        let mut line = String::new();
        driver.read_line(&mut line).expect("read");
        let announcement: Announcement = serde_json::from_str(&line).expect("an announcement");
        let (operation, path) = ("create_directory".to_owned(), "a".to_owned());
        let point = Point::Storage { save: 8, ordinal: 0, operation, path, asynchronous: true };
        assert_eq!(announcement, Announcement { rank: 0, wait: true, point });
        assert!(!root.join("a").exists(), "a kill here happens before the operation");
        driver.get_mut().write_all(GO.as_bytes()).expect("write");
        run.join().expect("no panic").expect("go");
        assert!(root.join("a").exists());
    });
}

#[test]
fn ordinals_of_a_save_start_again_and_those_of_the_run_go_on() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(folder.path(), true, None);
    all_operations(&mut storage).expect("no failure");
    all_operations(&mut storage).expect("no failure");
    let log = StorageLog::read(&folder.path().join("run")).expect("log");
    let Line::Operation(operation) = &log.lines[11] else { unreachable!("an operation") };
    assert_eq!((operation.ordinal, operation.save_ordinal), (11, 0));
}

#[test]
fn what_does_not_exist_reads_as_none_and_lists_are_in_order() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(folder.path(), false, None);
    assert_eq!(storage.read("nothing").expect("read"), None);
    assert_eq!(storage.list("nothing").expect("list"), None);
    for name in ["c", "a", "b"] {
        storage.write_file(name, &[b"x"], 1).expect("write");
    }
    let entry = |name: &str| Entry { name: name.to_owned(), is_directory: false, bytes: 1 };
    assert_eq!(storage.list("").expect("list"), Some(["a", "b", "c"].map(entry).to_vec()));
}

#[test]
fn a_file_that_exists_is_never_overwritten() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(folder.path(), false, None);
    storage.write_file("f", &[b"old"], 9).expect("write");
    assert!(storage.write_file("f", &[b"new"], 9).is_err());
    assert_eq!(std::fs::read(folder.path().join("save/f")).expect("file"), b"old");
}

proptest! {
    #[test]
    fn chunks_are_the_slices_of_the_concatenated_pieces(
        pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..9), 0..6),
        size in 1_usize..8,
    ) {
        let whole = pieces.concat();
        let slices: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        for_each_chunk(&slices, size, |chunk| {
            chunks.push(chunk.to_vec());
            Ok::<_, std::convert::Infallible>(())
        }).expect("infallible");
        let expected: Vec<Vec<u8>> = whole.chunks(size).map(<[u8]>::to_vec).collect();
        prop_assert_eq!(chunks, expected);
    }
}
