//! Checkpoints that are damaged, or of something else.

use crate::{Ended, Room, end_digest, lockstep, verify};
use std::path::{Path, PathBuf};

/// A finished small run: saves of steps 6 and 8.
fn saved() -> Room {
    let room = Room::new();
    room.small("one", &[]).fine();
    room
}

fn newest(room: &Room) -> PathBuf {
    room.checkpoints("one").join("step-00000008")
}

fn resume(room: &Room, run: &str, more: &[&str]) -> Ended {
    let checkpoints = room.checkpoints("one").to_string_lossy().into_owned();
    room.small(run, &[&["--resume", "--checkpoint-dir", &checkpoints], more].concat())
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).expect("read");
    change(&mut bytes);
    std::fs::write(path, bytes).expect("write");
}

/// Resume and verify refuse the newest save for the same reason, and the older one is still whole.
fn refused(room: &Room, texts: &[&str]) {
    resume(room, "two", &[]).refused(32, texts);
    assert!(!room.path("two/rank-00000.jsonl.zst").exists() || !room.path("two/final").exists());
    let report = verify(&room.checkpoints("one"));
    report.refused(32, &["step-00000006: sound"]);
}

#[test]
fn shards_that_are_torn_altered_or_missing_are_named_with_the_save_to_go_back_to() {
    let room = saved();
    let shard = newest(&room).join("optimizer.safetensors");
    edit(&shard, |bytes| bytes.truncate(bytes.len() - 7));
    let back = "--from step-00000006";
    refused(&room, &["step-00000008 is damaged", "optimizer.safetensors is torn", "expected", "found", back]);

    let room = saved();
    edit(&newest(&room).join("params.safetensors"), |bytes| *bytes.last_mut().expect("bytes") ^= 1);
    refused(&room, &["params.safetensors was altered", "BLAKE3", back]);

    let room = saved();
    std::fs::remove_file(newest(&room).join("rng.safetensors")).expect("remove");
    refused(&room, &["rng.safetensors is missing", back]);
}

#[test]
fn an_altered_manifest_is_named() {
    let room = saved();
    edit(&newest(&room).join("manifest.json"), |bytes| {
        let at = bytes.iter().position(|byte| *byte == b'1').expect("a digit");
        bytes[at] = b'2';
    });
    refused(&room, &["manifest.json", "--from step-00000006"]);
}

#[test]
fn the_save_that_the_message_names_can_be_gone_on_from_to_the_same_end() {
    let room = saved();
    edit(&newest(&room).join("params.safetensors"), |bytes| *bytes.last_mut().expect("bytes") ^= 1);
    resume(&room, "two", &[]).refused(32, &["--from step-00000006"]);
    resume(&room, "three", &["--from", "step-00000007"]).refused(32, &["no complete save `step-00000007`"]);
    resume(&room, "three", &["--from", "step-00000006"]).fine();
    assert_eq!(end_digest(&room.path("three")), end_digest(&room.path("one")));
    verify(&room.checkpoints("one")).fine();
    room.small("four", &["--from", "step-00000006"]).refused(2, &["--resume"]);
}

#[test]
fn an_altered_pointer_is_refused_and_the_saves_stay() {
    for (from, to, texts) in [
        ("\"step\": 8", "\"step\": 9", ["step", "step-00000008"]),
        ("\"manifest_digest\": \"", "\"manifest_digest\": \"0", ["latest.json", "step-00000008"]),
        ("step-00000008", "step-00000004", ["step-00000004", "no folder of step 8"]),
        ("{", "[", ["latest.json", "no pointer"]),
        ("\"schema\": 1", "\"schema\": 2", ["latest.json", "schema is 2"]),
    ] {
        let room = saved();
        let latest = room.checkpoints("one").join("latest.json");
        let text = std::fs::read_to_string(&latest).expect("read");
        assert!(text.contains(from), "{text}");
        std::fs::write(&latest, text.replacen(from, to, 1)).expect("write");
        resume(&room, "two", &[]).refused(32, &texts);
        assert!(newest(&room).join("manifest.json").exists(), "nothing was removed");
        verify(&room.checkpoints("one")).refused(32, &["step-00000006: sound"]);
    }
}

#[test]
fn a_checkpoint_of_another_recipe_or_another_part_is_refused_and_stays() {
    let room = saved();
    let checkpoints = room.checkpoints("one").to_string_lossy().into_owned();
    let other = room.recipe("other", &[("seed: ", "seed: 7")]);
    for (run, recipe, part, found) in [
        ("two", other.as_str(), "module/optimizer_step", "dense-ieee module/optimizer_step"),
        ("three", "dense-ieee", "kernel/adamw", "dense-ieee module/optimizer_step"),
    ] {
        let arguments = ["--recipe", recipe, "--part", part, "--checkpoint-dir", &checkpoints, "--resume"];
        room.train(run, &arguments).refused(32, &["of another recipe", found, "expected", "digest", "do:"]);
    }
    verify(&room.checkpoints("one")).fine();
}

#[test]
fn a_folder_without_saves_says_so() {
    let room = Room::new();
    lockstep(["verify", "/nowhere"]).refused(32, &["/nowhere holds no save", "do: check the path"]);
    verify(room.0.path()).refused(32, &["holds no save"]);
    lockstep(["compare", "/nowhere", "/nowhere"]).refused(32, &["/nowhere is no directory", "do: check the path"]);
}
