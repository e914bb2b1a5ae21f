use super::super::{CheckpointError, Difference, LeafDifference, compare_checkpoints, verify};
use super::{Place, recipe, small, state};
use contract::pointer::LATEST;
use library::tensor::{Spec, Tensor};

#[test]
fn a_directory_of_sound_saves_is_sound() {
    let place = Place::new();
    place.save(2);
    place.save(4);
    let report = verify(&place.root()).expect("verify");
    assert!(report.is_sound());
    assert_eq!(report.saves.len(), 2);
    assert_eq!(report.saves[1].bytes, state(4).bytes());
    assert!(report.to_string().contains("step-00000004 (newest): sound, tiny, 8 leaves"), "{report}");
}

#[test]
fn a_report_names_damage_leftovers_and_what_was_never_committed() {
    let place = Place::new();
    place.save(2);
    let committed = std::fs::read(place.root().join(LATEST)).expect("pointer");
    place.save(4);
    std::fs::write(place.root().join(LATEST), committed).expect("write");
    std::fs::create_dir(place.root().join(".tmp-step-00000006")).expect("create");
    std::fs::remove_file(place.root().join("step-00000002/rng.safetensors")).expect("remove");
    let report = verify(&place.root()).expect("verify");
    assert!(!report.is_sound());
    let text = report.to_string();
    for part in [
        "step-00000002 (newest): DAMAGED",
        "rng.safetensors is missing",
        "step-00000004 (never committed): sound",
        ".tmp-step-00000006: left over",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_damaged_pointer_is_part_of_the_report() {
    let place = Place::new();
    place.save(2);
    std::fs::write(place.root().join(LATEST), b"{").expect("write");
    let report = verify(&place.root()).expect("verify");
    assert!(!report.is_sound());
    assert!(report.to_string().contains("is no pointer"), "{report}");
    assert_eq!(report.saves.len(), 1);
}

#[test]
fn an_empty_directory_has_nothing_that_is_sound() {
    let report = verify(&Place::new().root()).expect("verify");
    assert!(!report.is_sound());
    assert!(report.to_string().contains("nothing was committed"), "{report}");
}

#[test]
fn a_comparison_names_each_leaf_that_differs_and_the_first_element() {
    let (first, second) = (Place::new(), Place::new());
    first.save(2);
    let mut other = state(2);
    other.leaves[0].tensor.bytes_mut()[4 * 6] ^= 1;
    other.leaves[0].tensor.bytes_mut()[4 * 19] ^= 1;
    other.leaves[1].tensor = Tensor::zeros(Spec::f32(&[7]));
    other.leaves[2].name = "optimizer/v.embedding".to_owned();
    super::save(&mut second.storage(), 2, &recipe(), &other, &small()).expect("save");
    let comparison = compare_checkpoints(&first.root(), &second.root().join("step-00000002")).expect("compare");
    let found: Vec<_> = comparison.differences.iter().map(|LeafDifference { leaf, .. }| leaf.as_str()).collect();
    let expected = ["params/embedding", "params/layers.0.norm", "optimizer/m.embedding", "optimizer/v.embedding"];
    assert_eq!(found, expected);
    assert_eq!(
        comparison.differences[0].difference,
        Difference::Elements { differing: 2, total: 20, index: vec![1, 2] }
    );
    assert!(matches!(comparison.differences[1].difference, Difference::Spec { .. }));
    assert_eq!(comparison.differences[2].difference, Difference::OnlyInFirst);
    assert_eq!(comparison.differences[3].difference, Difference::OnlyInSecond);
    assert_eq!(comparison.equal_leaf_count, 5);
    assert!(comparison.to_string().contains("2 of 20 elements differ, the first at [1, 2]"), "{comparison}");
}

#[test]
fn equal_saves_have_no_difference() {
    let place = Place::new();
    place.save(2);
    let comparison = compare_checkpoints(&place.root(), &place.root()).expect("compare");
    assert!(comparison.differences.is_empty());
    assert_eq!(comparison.equal_leaf_count, 8);
}

#[test]
fn a_path_without_a_save_cannot_be_compared() {
    let place = Place::new();
    place.save(2);
    let error = compare_checkpoints(&place.root(), &place.run()).expect_err("no save");
    assert!(matches!(error, CheckpointError::NoSuchSave { .. }), "{error}");
}
