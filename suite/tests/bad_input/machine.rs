//! What this machine does not have.

use crate::{Room, SMALL, lockstep};

#[test]
fn an_instruction_set_that_is_absent_is_refused_and_one_that_is_present_runs() {
    let room = Room::new();
    let doctor = lockstep(["doctor"]);
    let mut absent = 0;
    for level in ["scalar", "avx2", "avx512"] {
        let set = format!("simd={level}");
        let arguments: Vec<&str> = SMALL.iter().copied().chain(["--stop-after", "0", "--set", &set]).collect();
        let ended = room.train(level, &arguments);
        let line = doctor.stdout.lines().find(|line| line.starts_with(&format!("simd {level} ")));
        if line.expect("doctor names every level").contains("present") {
            ended.fine();
        } else {
            absent += 1;
            ended.refused(35, &[level, "this processor has", "simd: auto"]);
            room.untouched(level);
        }
    }
    if absent == 0 {
        println!("not compared: an absent instruction set, since this machine has all of them");
    }
}
