use super::{Event, Server};
use contract::control::{Announcement, GO, Point};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;

fn line(rank: u32, step: u64) -> String {
    let announcement = Announcement { rank, wait: true, point: Point::StepEnd { step } };
    format!("{}\n", serde_json::to_string(&announcement).unwrap())
}

#[test]
fn several_connections_are_heard_and_each_is_answered_for_itself() {
    let (sender, events) = channel();
    let server = Server::listen(sender).unwrap();
    let mut ranks = [0, 1].map(|_| UnixStream::connect(server.path()).unwrap());
    for (rank, stream) in (0..).zip(&mut ranks) {
        stream.write_all(line(rank, 5).as_bytes()).unwrap();
    }
    let mut heard = [None, None];
    for _ in 0..2 {
        let Event::Announced { announcement, reply } = events.recv().unwrap() else { panic!("expected a line") };
        heard[announcement.rank as usize] = Some(reply);
    }
    heard[1].take().unwrap().go();
    let mut answer = String::new();
    BufReader::new(&ranks[1]).read_line(&mut answer).unwrap();
    assert_eq!(answer, GO);
    ranks[0].set_nonblocking(true).unwrap();
    assert!(BufReader::new(&ranks[0]).read_line(&mut answer).is_err(), "rank 0 has no answer yet");
    heard[0].take().unwrap().go();
    drop(ranks);
    drop(server);
}

#[test]
fn what_was_written_before_death_is_heard_and_half_a_line_is_not() {
    let (sender, events) = channel();
    let server = Server::listen(sender).unwrap();
    let mut stream = UnixStream::connect(server.path()).unwrap();
    stream.write_all(format!("{}{}", line(0, 1), &line(0, 2)[..9]).as_bytes()).unwrap();
    drop(stream);
    drop(server);
    let heard: Vec<_> = events.iter().collect();
    assert!(
        matches!(heard.as_slice(), [Event::Announced { announcement, .. }] if announcement.point == Point::StepEnd { step: 1 })
    );
}

#[test]
fn a_line_that_is_no_announcement_is_reported_with_its_text() {
    let (sender, events) = channel();
    let server = Server::listen(sender).unwrap();
    UnixStream::connect(server.path()).unwrap().write_all(b"hello\n").unwrap();
    assert!(matches!(events.recv().unwrap(), Event::Broken(text) if text.contains("hello")));
}

#[test]
fn the_path_of_a_socket_is_short() {
    let (sender, _events) = channel();
    assert!(Server::listen(sender).unwrap().path().as_os_str().len() <= 100);
}
