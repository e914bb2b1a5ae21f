//! Request files and traces of other versions.

use crate::{Room, SMALL, lockstep};

fn request(room: &Room, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut request = serde_json::json!({
        "schema": 1, "recipe": "dense-ieee", "part": "kernel/clip", "run_directory": room.text("run"),
        "checkpoint_directory": null, "observe": {"level": "step"}, "perturbation": null, "control_socket": null,
        "stop_after": null, "nonce": "00000000000000aa",
    });
    change(&mut request);
    std::fs::write(room.path("request.json"), request.to_string()).expect("write");
    room.text("request.json")
}

#[test]
fn a_request_of_this_schema_is_carried_out() {
    let room = Room::new();
    lockstep(["train", "--request", &request(&room, |_| {})]).fine();
    assert!(room.path("run/counters.json").exists());
}

#[test]
fn a_newer_schema_is_named_even_when_it_has_keys_that_nobody_knows_here() {
    let room = Room::new();
    let path = request(&room, |request| {
        request["schema"] = 9.into();
        request["from_the_future"] = true.into();
    });
    lockstep(["train", "--request", &path]).refused(30, &[&path, "schema 9 is unknown; expected 1", "do:"]);
    room.untouched("run");
}

#[test]
fn an_unknown_key_a_missing_schema_and_a_missing_file_are_named() {
    let room = Room::new();
    let path = request(&room, |request| request["obsreve"] = 1.into());
    lockstep(["train", "--request", &path]).refused(30, &[&path, "unknown field `obsreve`", "`observe`"]);
    let path = request(&room, |request| drop(request.as_object_mut().expect("an object").remove("schema")));
    lockstep(["train", "--request", &path]).refused(30, &[&path, "no `schema`"]);
    lockstep(["train", "--request", "/nowhere.json"]).refused(30, &["/nowhere.json", "No such file"]);
    room.untouched("run");
}

fn traces() -> Room {
    let room = Room::new();
    for run in ["one", "two"] {
        room.train(run, &SMALL).fine();
    }
    room
}

fn compare(room: &Room) -> crate::Ended {
    lockstep(["compare", &room.text("one"), &room.text("two")])
}

#[test]
fn equal_traces_are_equal_and_a_trace_of_a_newer_schema_is_no_evidence() {
    let room = traces();
    compare(&room).fine().refused(0, &["equal:"]);
    let index = room.path("two/rank-00000.index.jsonl");
    let text = std::fs::read_to_string(&index).expect("read");
    std::fs::write(&index, text.replace("\"schema\":1", "\"schema\":2")).expect("write");
    let ended = compare(&room);
    ended.refused(ended.code.expect("a code"), &["has schema 2", "knows schema 1"]);
    assert!(matches!(ended.code, Some(22 | 23)), "no evidence: {:?}", ended.code);
}

#[test]
fn a_torn_trace_and_the_trace_of_itself_are_no_evidence() {
    let room = traces();
    let one = room.text("one");
    lockstep(["compare", &one, &one]).refused(22, &["INVALID"]);
    let records = room.path("two/rank-00000.jsonl.zst");
    let bytes = std::fs::read(&records).expect("read");
    std::fs::write(&records, &bytes[..bytes.len() - 5]).expect("write");
    let ended = compare(&room);
    assert!(matches!(ended.code, Some(22 | 23)), "{:?} {}", ended.code, ended.stdout);
}
