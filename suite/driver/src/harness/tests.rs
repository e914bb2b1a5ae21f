use super::estimate::estimate;
use super::prepare::find_root;
use super::specs;
use super::*;
use crate::catalogue::entries;
use crate::testing::description;

#[test]
fn a_seed_alone_decides_the_perturbation_and_seeds_give_different_ones() {
    assert_eq!(specs::perturbation(7), specs::perturbation(7));
    let poisons: std::collections::BTreeSet<_> = (0..64).map(|seed| specs::perturbation(seed).poison).collect();
    let threads: std::collections::BTreeSet<_> = (0..64).map(|seed| specs::perturbation(seed).threads).collect();
    assert_eq!((poisons.len(), threads.len()), (4, 3));
    assert!(!poisons.contains(&0), "fresh memory is zero anyway");
}

#[test]
fn a_closer_look_ends_after_the_step_and_records_every_element_of_it() {
    let part = &description().parts[3];
    let spec = crate::runner::RunSpec::new("tiny", part.part.clone(), Path::new("x"));
    let looked = specs::observed(&spec, 1, part);
    assert_eq!(looked.stop_after, Some(1));
    assert_eq!(looked.observe.at(1), contract::execution::ObserveLevel::Element);
    assert_eq!(looked.observe.at(0), contract::execution::ObserveLevel::Step);
    assert_eq!(specs::observed(&spec, 3, part).stop_after, None, "the last step ends by itself");
}

#[test]
fn text_of_a_trainer_is_no_workflow_command() {
    assert_eq!(neutralise("a\n  ::error::x\n##[add-path]y"), "a\n: :error::x\n## [add-path]y");
}

#[test]
fn an_estimate_grows_with_what_is_tried() {
    let descriptions = [description()];
    let all = entries(&descriptions[0]);
    let some = estimate(all.iter().take(4), &descriptions);
    let more = estimate(all.iter(), &descriptions);
    assert!(more.seconds > some.seconds && more.runs > some.runs && more.disk_bytes > 0, "{some:?} {more:?}");
}

#[test]
fn the_root_is_found_from_below_and_a_folder_without_lists_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(find_root(Some(folder.path())).unwrap_err().contains("--root"));
    std::fs::create_dir_all(folder.path().join("suite/mustpass")).unwrap();
    assert_eq!(find_root(Some(folder.path())).unwrap(), folder.path());
}
