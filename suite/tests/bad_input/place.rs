//! Run and checkpoint directories that cannot be used.

use crate::{Room, SMALL, end_digest, run, verify};
use std::path::Path;
use std::process::Command;

#[test]
fn a_run_directory_that_is_not_empty_is_refused_and_stays_as_it_is() {
    let room = Room::new();
    room.small("run", &[]).fine();
    let before = end_digest(&room.path("run"));
    room.small("run", &[]).refused(33, &["is not empty", &room.text("run"), "do: choose another --run-dir"]);
    assert_eq!(end_digest(&room.path("run")), before);
    verify(&room.checkpoints("run")).fine();
}

#[test]
fn a_directory_below_a_file_is_refused() {
    let room = Room::new();
    std::fs::write(room.path("file"), "").expect("write");
    room.small("file/run", &[]).refused(33, &["file/run", "Not a directory", "--run-dir"]);
    let below = room.text("file/checkpoints");
    room.small("run", &["--checkpoint-dir", &below])
        .refused(32, &["file/checkpoints", "Not a directory", "do: a file stands where a directory is needed"]);
}

/// Runs a script as root of a mount namespace of its own; `None` when this machine does not allow it.
fn with_mounts(script: &str, arguments: &[&str]) -> Option<crate::Ended> {
    let shell = |flags: &'static str, script: &str| {
        let mut command = Command::new("unshare");
        command.args([flags, "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_lockstep")]).args(arguments);
        command
    };
    let mounted = |flags| {
        let output = shell(flags, "mount -t tmpfs lockstep \"$2\"").output();
        output.is_ok_and(|output| output.status.success())
    };
    let Some(flags) = ["-m", "-rm"].into_iter().find(|flags| mounted(flags)) else {
        let output = shell("-rm", "mount -t tmpfs lockstep \"$2\"").output();
        let reason = output.map_or_else(|error| error.to_string(), |o| String::from_utf8_lossy(&o.stderr).into_owned());
        assert!(!reason.trim().is_empty(), "a refusal has a reason");
        println!("not compared: no file system can be mounted here: {}", reason.trim());
        return None;
    };
    Some(run(&mut shell(flags, script)))
}

fn mount_point(room: &Room) -> String {
    std::fs::create_dir(room.path("mount")).expect("create");
    room.text("mount")
}

#[test]
fn a_read_only_file_system_is_refused_as_such() {
    let room = Room::new();
    let mount = mount_point(&room);
    let script = "mount -t tmpfs -o ro lockstep \"$2\" && shift && exec \"$@\"";
    let script = script.replace("shift && exec", "l=$1 && m=$2 && shift 2 && exec \"$l\" train");
    let run_dir = format!("{mount}/run");
    let arguments: Vec<&str> = [mount.as_str()].into_iter().chain(SMALL).chain(["--run-dir", &run_dir]).collect();
    if let Some(ended) = with_mounts(&script, &arguments) {
        ended.refused(33, &[&run_dir, "Read-only file system", "--run-dir"]);
    }
    let (run_dir, checkpoints) = (room.text("run"), format!("{mount}/checkpoints"));
    let places = ["--run-dir", &run_dir, "--checkpoint-dir", &checkpoints];
    let arguments: Vec<&str> = [mount.as_str()].into_iter().chain(SMALL).chain(places).collect();
    if let Some(ended) = with_mounts(&script, &arguments) {
        ended.refused(32, &[&checkpoints, "Read-only file system", "do: make the directory writable"]);
    }
}

/// Trains onto a file system that is too small, makes room, resumes. Everything is in one namespace, since the file
/// system goes with it; what must survive is copied out.
const FULL: &str = r#"
l=$1; mount=$2; out=$3; shift 3
mount -t tmpfs -o size=2500k lockstep "$mount" || exit 90
"$l" train "$@" --run-dir "$out/first" --checkpoint-dir "$mount/checkpoints"; code=$?
[ $code = 32 ] || exit 91
"$l" verify "$mount/checkpoints" || exit 92
mount -o remount,size=200m "$mount" || exit 93
"$l" train "$@" --run-dir "$out/second" --checkpoint-dir "$mount/checkpoints" --resume || exit 94
"#;

#[test]
fn a_full_disk_names_the_file_and_a_resume_with_room_ends_as_if_it_had_never_been_full() {
    let room = Room::new();
    let mount = mount_point(&room);
    let out = room.text("");
    let every: &[&str] = &["--set", "checkpoint.every=1"];
    let undisturbed: Vec<&str> = SMALL.iter().chain(every).copied().collect();
    room.train("undisturbed", &undisturbed).fine();
    let size = folder_bytes(&room.checkpoints("undisturbed").join("step-00000008"));
    let fits = size.div_ceil(1024) * 2 + size / 2048;
    let script = FULL.replace("2500k", &format!("{fits}k"));
    let arguments: Vec<&str> = [mount.as_str(), &out].into_iter().chain(undisturbed).collect();
    let Some(ended) = with_mounts(&script, &arguments) else { return };
    ended.fine();
    let texts =
        ["No space left on device", ".safetensors", "checkpoints", "do: free space on that device", "(newest): sound"];
    ended.refused(0, &texts);
    assert_eq!(end_digest(&room.path("second")), end_digest(&room.path("undisturbed")));
    let loaded = room.path("second").join("loaded.json");
    assert!(loaded.exists(), "the second run went on from a checkpoint");
}

fn folder_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a save");
    files.map(|file| file.expect("a file").metadata().expect("its size").len()).sum()
}
