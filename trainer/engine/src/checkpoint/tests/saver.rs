use super::super::{CheckpointError, ExactState, SaveCounters, SaveOptions, Saver};
use super::{Place, failing, recipe, small, state};
use crate::control::Control;
use crate::storage::Storage;
use contract::control::{Announcement, GO, Point};
use contract::request::{StorageErrorKind, StorageRequest};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::sync::Arc;

fn saver(storage: Storage, asynchronous: bool) -> Saver {
    Saver::new(storage, recipe(), SaveOptions { asynchronous, ..small() }, Arc::new(ExactState))
}

#[test]
fn an_asynchronous_save_writes_the_bytes_of_a_synchronous_one() {
    let (first, second) = (Place::new(), Place::new());
    for (place, asynchronous) in [(&first, false), (&second, true)] {
        let mut saver = saver(place.storage(), asynchronous);
        for step in [2, 4, 6] {
            saver.save(step, &state(step)).expect("save");
            saver.step_ended().expect("no error");
        }
        assert_eq!(saver.finish().expect("finish").expect("committed").step, 6);
    }
    assert_eq!(first.tree(), second.tree());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "plays the driver; the test joins it")]
fn a_save_holds_the_state_of_its_step_although_training_goes_on() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let socket = folder.path().join("control");
    let listener = UnixListener::bind(&socket).expect("bind");
    let training = Control::connect(Some(&socket), 0).expect("connect");
    let own = training.clone_connection().expect("connect");
    let place = Place::new();
    let storage = Storage::open(&place.root(), &StorageRequest::default(), &place.run(), own).expect("open");
    let mut saver = saver(storage, true);
    let mut live = state(2);
    let _first = listener.accept().expect("accept");
    let mut driver = BufReader::new(listener.accept().expect("accept").0);

    saver.save(2, &live).expect("starts");
    let mut line = String::new();
    driver.read_line(&mut line).expect("read");
    let announcement: Announcement = serde_json::from_str(&line).expect("an announcement");
    assert!(matches!(announcement.point, Point::Storage { save: 2, ordinal: 0, asynchronous: true, .. }));
    // The save is held; training changes every leaf.
    live = state(3);
    saver.step_ended().expect("the save is under way");
    saver.step_ended().expect("the save is under way");
    let answers = std::thread::spawn(move || {
        let mut committed = false;
        loop {
            driver.get_mut().write_all(GO.as_bytes()).expect("write");
            let mut line = String::new();
            while !line.contains("\"wait\":true") {
                line.clear();
                if driver.read_line(&mut line).expect("read") == 0 {
                    return committed;
                }
                committed |= line.contains("\"committed\"");
            }
        }
    });
    saver.finish().expect("finish");
    let counters = saver.counters();
    drop(saver);
    assert!(answers.join().expect("no panic"), "the commit was announced");
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
    assert_ne!(live, state(2));
    assert_eq!((counters.async_saves, counters.steps_advanced_during_save), (1, 2));
}

#[test]
fn a_second_save_waits_for_the_first() {
    let place = Place::new();
    let mut saver = saver(place.storage(), true);
    for step in 1..=5 {
        saver.save(step, &state(step)).expect("save");
    }
    saver.finish().expect("finish");
    assert_eq!(place.load().expect("load").expect("committed").state, state(5));
    assert_eq!(saver.counters().async_saves, 5);
}

#[test]
fn the_error_of_an_asynchronous_save_comes_out_of_the_next_call() {
    type Call = fn(&mut Saver) -> Result<(), CheckpointError>;
    let calls: [Call; 2] = [|saver| saver.save(4, &state(4)), |saver| saver.finish().map(drop)];
    for next in calls {
        let place = Place::new();
        let mut saver = saver(place.storage_with(&failing(12, StorageErrorKind::Enospc)), true);
        saver.save(2, &state(2)).expect("starts");
        let error = next(&mut saver).expect_err("the save failed");
        assert!(error.to_string().contains("operation 12 of the run"), "{error}");
        saver.save(6, &state(6)).expect("the next one starts");
        saver.finish().expect("and is saved");
        assert_eq!(place.load().expect("load").expect("committed").state, state(6));
    }
}

#[test]
fn a_saver_that_is_dropped_lets_its_save_end() {
    let place = Place::new();
    let mut saver = saver(place.storage(), true);
    saver.save(2, &state(2)).expect("starts");
    drop(saver);
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
}

#[test]
fn a_driver_that_goes_away_during_a_save_ends_it_with_an_error() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let socket = folder.path().join("control");
    let listener = UnixListener::bind(&socket).expect("bind");
    let control = Control::connect(Some(&socket), 0).expect("connect");
    let place = Place::new();
    let storage = Storage::open(&place.root(), &StorageRequest::default(), &place.run(), control).expect("open");
    let mut saver = saver(storage, true);
    drop(listener.accept().expect("accept"));
    saver.save(2, &state(2)).expect("starts");
    let error = saver.finish().expect_err("nobody answers");
    assert!(error.to_string().contains("the driver went away"), "{error}");
}

#[test]
fn counters_say_what_was_saved() {
    let place = Place::new();
    let mut saver = saver(place.storage(), false);
    saver.save(2, &state(2)).expect("save");
    saver.step_ended().expect("no save is under way");
    let written: u64 = place.tree().files.values().map(|bytes| bytes.len() as u64).sum();
    let expected = SaveCounters { saves: 1, async_saves: 0, steps_advanced_during_save: 0, bytes_written: written };
    assert_eq!(saver.counters(), expected);
    assert_eq!(saver.counters().to_map()["bytes_written"], written);
}
