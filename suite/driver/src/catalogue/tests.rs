use super::*;
use crate::options::Options;
use crate::testing::description;
use std::ffi::OsString;

fn options(arguments: &[&str]) -> Options {
    Options::parse_with(std::iter::once("x").chain(arguments.iter().copied()).map(OsString::from), |_| None).unwrap()
}

fn names(arguments: &[&str]) -> Result<Vec<String>, SelectionError> {
    let selection = select(&entries(&description()), None, &options(arguments))?;
    Ok(selection.entries.into_iter().map(|entry| entry.name).collect())
}

#[test]
fn the_list_of_a_recipe_is_named_by_level_part_claim_and_alternative() {
    let list: Vec<_> = entries(&description()).into_iter().map(|entry| entry.name).collect();
    insta::assert_snapshot!(list.join("\n"));
}

#[test]
fn a_part_that_saves_as_the_whole_is_tried_in_full_and_the_others_in_samples() {
    let mut description = description();
    let extents = |description: &Description| -> Vec<_> {
        description.parts.iter().map(|part| Extent::of(description, part)).collect()
    };
    assert!(extents(&description).iter().all(|extent| *extent == Extent::Whole));
    let at = description.parts.iter().position(|part| part.part == Part::Module("block".into())).unwrap();
    description.parts[at].saves_as_whole = true;
    let found = extents(&description);
    assert!(found.iter().enumerate().all(|(part, extent)| (*extent == Extent::Whole) == (part == at)), "{found:?}");
    let names: Vec<_> = entries(&description).into_iter().map(|entry| entry.name).collect();
    for how in Resume::ALL {
        assert!(names.contains(&format!("tiny::module::block::resume::{}", how.name())), "{names:?}");
    }
    description.parts[at].claims.retain(|claim| *claim != Claim::Resume);
    assert!(extents(&description).iter().all(|extent| *extent == Extent::Whole), "nothing would try the whole");
}

#[test]
fn what_this_machine_lacks_is_listed_and_not_compared() {
    let selection = select(&entries(&description()), None, &options(&[])).unwrap();
    let lacking: Vec<_> = selection.not_compared.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert_eq!(
        lacking,
        [
            "tiny::kernel::scale::backend::avx2: the plain run already is avx2",
            "tiny::kernel::scale::backend::avx512: avx512 absent"
        ]
    );
    assert_eq!(selection.entries.len(), entries(&description()).len());
}

#[test]
fn options_narrow_the_list_and_keep_the_canary() {
    let kernels = names(&["--level", "kernel", "--claim", "repeat"]).unwrap();
    assert_eq!(kernels, ["tiny::canary", "tiny::kernel::scale::repeat", "tiny::kernel::adamw::repeat"]);
    let room = names(&["--room", "adamw"]).unwrap();
    assert!(room.iter().all(|name| name.contains("::adamw::") || name == "tiny::canary"), "{room:?}");
}

#[test]
fn steps_leave_out_what_needs_a_whole_run_and_say_so() {
    let selection = select(&entries(&description()), None, &options(&["--steps", "2"])).unwrap();
    assert!(
        selection
            .not_compared
            .iter()
            .any(|(name, why)| name.ends_with("end_to_end::golden") && why.contains("--steps"))
    );
}

#[test]
fn asking_for_nothing_is_an_error_that_names_the_nearest() {
    let message = |arguments: &[&str]| names(arguments).unwrap_err().to_string();
    assert_eq!(message(&["repaet"]), "no trial matches the filter repaet; did you mean `repeat`?");
    assert_eq!(
        message(&["--room", "adam"]),
        "--room: nothing is called `adam`, only adamw, scale; did you mean `adamw`?"
    );
    assert_eq!(
        message(&["--level", "module", "--claim", "census"]),
        "no trial matches --level module with --claim census"
    );
    assert!(message(&["--exact", "tiny::end_to_end::repeats"]).contains("did you mean `tiny::end_to_end::repeat`?"));
    assert!(message(&["--exact", "tiny::kernel::scale::backend::avx512"]).starts_with("no trial matches"));
    assert!(message(&["--claim", "repeat", "coverage"]).starts_with("no trial matches"));
}

#[test]
fn a_name_that_does_not_exist_is_an_error_beside_names_that_do() {
    let message = |arguments: &[&str]| names(arguments).unwrap_err().to_string();
    assert!(message(&["--room", "adamw,adam"]).contains("nothing is called `adam`"));
    let misspelt = message(&["--require", "avx215"]);
    assert!(
        misspelt.starts_with("--require: nothing is called `avx215`, only ") && misspelt.contains("avx512"),
        "{misspelt}"
    );
    assert!(names(&["--require", "avx512"]).is_ok());
}

#[test]
fn an_empty_list_of_ignored_trials_is_no_error() {
    assert!(names(&["--list", "--ignored", "repeat"]).is_ok());
    assert!(names(&["--list", "nowhere"]).is_err());
}

#[test]
fn an_unknown_recipe_names_the_nearest() {
    let error = SelectionError::unknown_recipe("dense-iee", &["dense-ieee".into(), "dense-text".into()]);
    assert_eq!(
        error.to_string(),
        "unknown recipe `dense-iee`; did you mean `dense-ieee`?. Known recipes: dense-ieee, dense-text."
    );
    assert_eq!(error.verdict().exit_code(), 20);
}

#[test]
fn a_set_limits_the_list_and_may_not_name_what_does_not_exist() {
    let all = entries(&description());
    let set = ["tiny::end_to_end::repeat".to_owned()];
    let selection = select(&all, Some(("quick", &set)), &options(&[])).unwrap();
    assert_eq!(selection.entries.len(), 1);
    let wrong = ["tiny::end_to_end::repeats".to_owned()];
    let error = select(&all, Some(("quick", &wrong)), &options(&[])).unwrap_err();
    assert!(error.to_string().contains("did you mean `tiny::end_to_end::repeat`?"));
}

#[test]
fn a_committed_list_that_differs_is_noticed_line_by_line() {
    let all = entries(&description());
    let mut committed: Vec<String> = all.iter().map(|entry| entry.name.clone()).collect();
    assert!(difference(&committed, &all).is_empty());
    committed.remove(2);
    committed.push("tiny::gone".into());
    committed.push("tiny::gone".into());
    assert_eq!(difference(&committed, &all).lines(), ["- tiny::gone", "+ tiny::kernel::scale::repeat", "2 tiny::gone"]);
}

#[test]
fn a_promise_without_a_trial_is_a_gap() {
    let whole = description();
    assert_eq!(gaps(&whole, &entries(&whole)), Vec::<String>::new());
    let mut less = whole.clone();
    less.parts.retain(|part| part.part.level() != Level::Module);
    assert!(gaps(&less, &entries(&less)).contains(&"level module has no trial of claim resume".to_owned()));
    let mut empty = whole.clone();
    empty.parts[0].alternatives.clear();
    assert_eq!(gaps(&empty, &entries(&empty)), ["kernel/scale claims backend and has no trial of it"]);
    let mut forgetful = whole.clone();
    forgetful.parts[1].claims.retain(|claim| *claim != Claim::Resume);
    assert!(
        gaps(&forgetful, &entries(&forgetful)).contains(&"kernel/adamw has state and does not claim resume".to_owned())
    );
    let mut unproven = whole;
    unproven.parts[0].alternatives[0].differs_in.clear();
    assert_eq!(gaps(&unproven, &entries(&unproven)).len(), 1);
}
