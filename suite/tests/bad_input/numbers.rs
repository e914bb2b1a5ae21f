//! Numbers that are not finite at a step that declares no overflow.

use crate::{Room, verify};

#[test]
fn a_gradient_that_is_not_finite_ends_the_run_names_the_tensor_and_keeps_the_newest_checkpoint() {
    let room = Room::new();
    // The first update is absurd, so the second step's loss is not a number.
    let recipe = room.recipe("absurd", &[("peak: ", "peak: 1.0e+30")]);
    let every = ["--recipe", &recipe, "--set", "checkpoint.every=1"];
    let texts = ["step 1: `gradients/", "NaN", "overflow_steps", "the newest checkpoint is intact", "--observe op"];
    room.train("run", &every).refused(34, &texts);
    verify(&room.checkpoints("run")).fine().refused(0, &["step-00000001 (newest): sound"]);
    let checkpoints = room.checkpoints("run").to_string_lossy().into_owned();
    let again = [&every[..], &["--checkpoint-dir", &checkpoints, "--resume"]].concat();
    room.train("again", &again).refused(34, &["step 1: `gradients/"]);
    assert!(room.path("again/loaded.json").exists(), "the checkpoint was loaded");
    verify(&room.checkpoints("run")).fine();
}

#[test]
fn a_step_that_declares_an_overflow_is_skipped_and_the_run_goes_on() {
    let room = Room::new();
    let recipe = room.recipe("overflow", &[("overflow_steps: ", "overflow_steps: [0]")]);
    let ended = room.train("run", &["--recipe", &recipe, "--stop-after", "1"]);
    ended.fine().refused(0, &["step 0 ·", "skipped: gradients not finite", "step 1 ·"]);
    assert_eq!(ended.stdout.matches("skipped").count(), 1);
}
