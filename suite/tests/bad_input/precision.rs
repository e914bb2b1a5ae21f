//! Recipes that cannot be compared for their precision.

use crate::{Room, lockstep};

/// What `precision` says of two recipes.
fn precision(room: &Room, recipes: [&str; 2], more: &[&str]) -> crate::Ended {
    let out = room.text("out");
    lockstep(["precision", recipes[0], recipes[1], "--out", &out].iter().chain(more))
}

#[test]
fn recipes_that_differ_in_more_than_precision_are_refused_by_key() {
    let room = Room::new();
    let wide = room.recipe("wide", &[("  width: ", "  width: 32"), ("  storage: ", "  storage: bf16")]);
    let ended = precision(&room, ["dense-ieee", &wide], &[]);
    ended.refused(30, &["in more than profile and precision", "semantics.model.width: 64 and 32", "do:", "--align"]);
    assert!(!ended.stderr.contains("storage"), "precision may differ: {}", ended.stderr);
    assert!(!ended.stderr.contains("--steps"), "the steps are equal: {}", ended.stderr);
    precision(&room, ["dense-ieee", "dense-bf16-ieee"], &[])
        .refused(30, &["semantics.steps: 8 and 7", "semantics.optimizer.schedule.total: 8 and 7", "--steps"]);
    room.untouched("out");
}

#[test]
fn a_recipe_that_does_not_exist_names_the_nearest() {
    let room = Room::new();
    precision(&room, ["dense-ieee", "dense-bf16-iee"], &[]).refused(30, &["Did you mean `dense-bf16-ieee`?"]);
    room.untouched("out");
}

#[test]
fn steps_that_the_recipes_do_not_have_are_refused() {
    let room = Room::new();
    for steps in ["0", "9"] {
        precision(&room, ["dense-ieee", "dense-ieee"], &["--steps", steps])
            .refused(30, &[&format!("--steps {steps}"), "expected 1 to 8"]);
    }
    room.untouched("out");
}

#[test]
fn an_override_that_does_not_exist_names_the_nearest() {
    let room = Room::new();
    precision(&room, ["dense-ieee", "dense-ieee"], &["--set", "thraeds=1"]).refused(30, &["Did you mean `threads`?"]);
    room.untouched("out");
}

#[test]
fn a_folder_that_is_not_empty_is_refused() {
    let room = Room::new();
    std::fs::create_dir(room.path("out")).expect("create");
    std::fs::write(room.path("out/mine"), "kept").expect("write");
    precision(&room, ["dense-ieee", "dense-ieee"], &[]).refused(33, &["is not empty", "do:"]);
    assert_eq!(std::fs::read_to_string(room.path("out/mine")).expect("kept"), "kept");
}
