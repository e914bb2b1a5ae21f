use super::{Control, ControlError};
use contract::control::{Announcement, GO, Point};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

fn socket() -> (tempfile::TempDir, std::path::PathBuf, UnixListener) {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = folder.path().join("control");
    let listener = UnixListener::bind(&path).expect("bind");
    (folder, path, listener)
}

fn accept(listener: &UnixListener) -> BufReader<UnixStream> {
    BufReader::new(listener.accept().expect("accept").0)
}

fn read(stream: &mut BufReader<UnixStream>) -> Announcement {
    let mut line = String::new();
    stream.read_line(&mut line).expect("read");
    serde_json::from_str(&line).expect("an announcement")
}

#[test]
fn without_a_socket_nothing_is_announced_and_nothing_waits() {
    let control = Control::connect(None, 0).expect("inert");
    control.announce(Point::StepEnd { step: 1 }, true).expect("returns at once");
    assert!(!control.is_connected());
    assert!(!control.clone_connection().expect("inert").is_connected());
}

#[test]
fn a_point_that_waits_returns_after_go() {
    let (_folder, path, listener) = socket();
    let control = Control::connect(Some(&path), 3).expect("connect");
    let mut driver = accept(&listener);
    thread::scope(|scope| {
        let run = scope.spawn(|| control.announce(Point::StepEnd { step: 7 }, true));
        assert_eq!(read(&mut driver), Announcement { rank: 3, wait: true, point: Point::StepEnd { step: 7 } });
        assert!(!run.is_finished());
        driver.get_mut().write_all(GO.as_bytes()).expect("write");
        run.join().expect("no panic").expect("go");
    });
}

#[test]
fn a_point_that_does_not_wait_returns_without_an_answer() {
    let (_folder, path, listener) = socket();
    let control = Control::connect(Some(&path), 0).expect("connect");
    control.announce(Point::StepEnd { step: 1 }, false).expect("no answer needed");
    assert!(!read(&mut accept(&listener)).wait);
}

#[test]
fn a_held_connection_does_not_hold_another_one() {
    let (_folder, path, listener) = socket();
    let training = Control::connect(Some(&path), 0).expect("connect");
    let mut first = accept(&listener);
    let saving = training.clone_connection().expect("connect");
    let mut second = accept(&listener);
    thread::scope(|scope| {
        let held = scope.spawn(|| saving.announce(Point::StepEnd { step: 1 }, true));
        read(&mut second);
        first.get_mut().write_all(GO.as_bytes()).expect("write");
        training.announce(Point::StepEnd { step: 2 }, true).expect("training goes on");
        assert!(!held.is_finished());
        second.get_mut().write_all(GO.as_bytes()).expect("write");
        held.join().expect("no panic").expect("go");
    });
}

#[test]
fn a_driver_that_goes_away_ends_the_run_with_an_error_that_names_the_point() {
    let (_folder, path, listener) = socket();
    let control = Control::connect(Some(&path), 0).expect("connect");
    drop(accept(&listener));
    let error = control.announce(Point::StepEnd { step: 5 }, true).expect_err("nobody answers");
    assert!(matches!(error, ControlError::Closed { .. }), "{error}");
    assert!(error.to_string().contains("step 5 end"), "{error}");
}

#[test]
fn another_answer_than_go_is_an_error() {
    let (_folder, path, listener) = socket();
    let control = Control::connect(Some(&path), 0).expect("connect");
    accept_and_answer(&listener, &control);
}

fn accept_and_answer(listener: &UnixListener, control: &Control) {
    let mut driver = accept(listener);
    driver.get_mut().write_all(b"stop\n").expect("write");
    let error = control.announce(Point::StepEnd { step: 5 }, true).expect_err("not go");
    assert!(matches!(&error, ControlError::Answer { found, .. } if found == "stop"), "{error}");
}

#[test]
fn a_socket_without_a_driver_is_an_error() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let error = Control::connect(Some(&folder.path().join("nobody")), 0).expect_err("nobody listens");
    assert!(error.to_string().contains("nobody"), "{error}");
}
