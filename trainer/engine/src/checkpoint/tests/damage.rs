use super::super::{CheckpointError, MANIFEST, Problem, SCHEMA, select};
use super::{Place, edit_manifest, expectations, recipe, small, state};
use contract::pointer::LATEST;
use fingerprint::Fingerprint;
use library::tensor::Spec;
use std::path::PathBuf;

fn saved(steps: &[u64]) -> Place {
    let place = Place::new();
    for step in steps {
        place.save(*step);
    }
    place
}

fn shard(place: &Place, file: &str) -> PathBuf {
    place.root().join("step-00000006").join(file)
}

fn problems(error: &CheckpointError) -> &[Problem] {
    match error {
        CheckpointError::Damaged { problems, .. } | CheckpointError::Leaves { problems, .. } => problems,
        other => panic!("expected problems, found: {other}"),
    }
}

#[test]
fn a_truncated_shard_is_torn_and_an_older_save_is_named_and_not_used() {
    let place = saved(&[4, 6]);
    let path = shard(&place, "optimizer.safetensors");
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("write");
    let error = place.load_error();
    let (file, expected) = ("optimizer.safetensors".to_owned(), bytes.len() as u64);
    assert_eq!(problems(&error), [Problem::ShardTorn { file, expected, found: expected - 1 }]);
    assert!(matches!(&error, CheckpointError::Damaged { older: Some(older), .. } if older == "step-00000004"));
    assert!(error.to_string().contains("--from step-00000004"), "{error}");
}

#[test]
fn saving_a_damaged_step_again_is_an_error_that_names_an_older_save() {
    let place = saved(&[4, 6]);
    std::fs::remove_file(shard(&place, "rng.safetensors")).expect("remove");
    let error = super::save(&mut place.storage(), 6, &recipe(), &state(6), &small()).expect_err("damaged");
    assert!(
        matches!(&error, CheckpointError::Damaged { older: Some(older), .. } if older == "step-00000004"),
        "{error}"
    );
}

#[test]
fn a_flipped_bit_in_any_file_is_an_error_that_names_the_file() {
    let place = saved(&[4, 6]);
    let whole = place.tree();
    for (path, bytes) in whole.files.iter().filter(|(path, _)| path.contains("00000006")) {
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= 1;
            std::fs::write(place.root().join(path), flipped).expect("write");
            let error = place.load_error();
            let file = path.rsplit('/').next().expect("a name");
            assert!(matches!(error, CheckpointError::Damaged { older: Some(_), .. }), "{path}: {error}");
            assert!(error.to_string().contains(&format!("{file} was altered")), "{path}: {error}");
            std::fs::write(place.root().join(path), bytes).expect("write");
        }
    }
    place.load().expect("repaired");
}

#[test]
fn a_flipped_bit_in_the_pointer_is_never_a_silent_fallback() {
    let place = saved(&[4, 6]);
    let path = place.root().join(LATEST);
    let bytes = std::fs::read(&path).expect("read");
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        std::fs::write(&path, flipped).expect("write");
        match place.load() {
            Err(_) => {}
            // White space between tokens means nothing.
            Ok(loaded) => assert_eq!(loaded.expect("committed").pointer.step, 6, "bit of byte {at}"),
        }
    }
}

#[test]
fn a_missing_shard_is_named() {
    let place = saved(&[6]);
    std::fs::remove_file(shard(&place, "rng.safetensors")).expect("remove");
    let error = place.load_error();
    assert_eq!(problems(&error), [Problem::FileMissing { file: "rng.safetensors".to_owned() }]);
    assert!(matches!(error, CheckpointError::Damaged { older: None, .. }));
}

#[test]
fn a_missing_manifest_or_folder_is_named() {
    let place = saved(&[4, 6]);
    std::fs::remove_file(shard(&place, MANIFEST)).expect("remove");
    assert_eq!(problems(&place.load_error()), [Problem::FileMissing { file: MANIFEST.to_owned() }]);
    std::fs::remove_dir_all(place.root().join("step-00000006")).expect("remove");
    let directory = "step-00000006".to_owned();
    assert_eq!(problems(&place.load_error()), [Problem::FolderMissing { directory }]);
}

#[test]
fn an_extra_file_in_a_save_is_named() {
    let place = saved(&[6]);
    std::fs::write(shard(&place, "more.safetensors"), b"x").expect("write");
    assert_eq!(problems(&place.load_error()), [Problem::FileExtra { file: "more.safetensors".to_owned() }]);
}

#[test]
fn a_leaf_that_the_manifest_does_not_name_is_extra() {
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.leaves.retain(|leaf| leaf.name != "optimizer/router_bias"));
    let (leaf, place_name) = ("optimizer/router_bias".to_owned(), "optimizer.safetensors".to_owned());
    assert_eq!(problems(&place.load_error()), [Problem::LeafExtra { leaf, place: place_name }]);
}

#[test]
fn a_leaf_that_no_shard_holds_is_missing() {
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.leaves[0].name = "params/other".to_owned());
    let text = place.load_error().to_string();
    assert!(text.contains("leaf `params/other` is missing in params.safetensors"), "{text}");
    assert!(text.contains("leaf `params/embedding` is extra in params.safetensors"), "{text}");
}

#[test]
fn a_leaf_with_another_fingerprint_or_spec_is_altered() {
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.leaves[2].fingerprint = Fingerprint::of_bytes(b"other"));
    assert!(
        matches!(problems(&place.load_error()), [Problem::LeafAltered { leaf, .. }] if leaf == "optimizer/m.embedding")
    );
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.leaves[2].shape = vec![4, 5]);
    assert!(
        matches!(problems(&place.load_error()), [Problem::LeafSpec { leaf, .. }] if leaf == "optimizer/m.embedding")
    );
}

#[test]
fn a_manifest_of_another_step_is_an_error() {
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.step = 7);
    assert_eq!(problems(&place.load_error()), [Problem::OtherStep { expected: 6, found: 7 }]);
}

#[test]
fn missing_extra_and_wrong_leaves_of_the_recipe_are_all_named() {
    let place = saved(&[6]);
    let mut expected = expectations();
    expected.leaves[0].spec = Spec::f32(&[4, 5]);
    expected.leaves[1].name = "params/layers.1.norm".to_owned();
    let error = super::load(&place.root(), &expected, &super::ExactState).expect_err("other leaves");
    assert!(matches!(error, CheckpointError::Leaves { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("leaf `params/embedding` is f32[5, 4] in the save, expected f32[4, 5]"), "{text}");
    assert!(text.contains("leaf `params/layers.1.norm` is missing"), "{text}");
    assert!(text.contains("leaf `params/layers.0.norm` is extra"), "{text}");
}

#[test]
fn leaves_come_in_the_order_of_the_recipe() {
    let place = saved(&[6]);
    let mut expected = expectations();
    expected.leaves.reverse();
    let loaded = super::load(&place.root(), &expected, &super::ExactState).expect("load").expect("committed");
    let names: Vec<_> = loaded.state.leaves.iter().map(|leaf| leaf.name.as_str()).collect();
    assert_eq!(names.first(), Some(&"fingerprints/state"));
}

#[test]
fn a_save_of_another_recipe_is_refused_by_digest() {
    let place = saved(&[6]);
    let mut expected = expectations();
    expected.recipe.digest = "e".repeat(64);
    let error = super::load(&place.root(), &expected, &super::ExactState).expect_err("other recipe");
    assert!(matches!(error, CheckpointError::OtherRecipe { .. }), "{error}");
}

#[test]
fn a_newer_schema_of_manifest_or_pointer_is_refused_as_such() {
    let place = saved(&[6]);
    edit_manifest(&place.root(), |manifest| manifest.schema = SCHEMA + 1);
    let error = place.load_error();
    assert!(
        matches!(&error, CheckpointError::Schema { path, found: 2, known: 1 } if path.ends_with(MANIFEST)),
        "{error}"
    );
    let place = saved(&[6]);
    let path = place.root().join(LATEST);
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, text.replace("\"schema\": 1", "\"schema\": 2, \"more\": []")).expect("write");
    let error = place.load_error();
    assert!(
        matches!(&error, CheckpointError::Schema { path, found: 2, known: 1 } if path.ends_with(LATEST)),
        "{error}"
    );
}

#[test]
fn a_lost_pointer_beside_several_saves_is_an_error_and_never_step_0() {
    let place = saved(&[4, 6]);
    std::fs::remove_file(place.root().join(LATEST)).expect("remove");
    let error = place.load_error();
    assert!(matches!(error, CheckpointError::PointerMissing { .. }), "{error}");
    let error = super::save(&mut place.storage(), 8, &recipe(), &state(8), &small()).expect_err("no pointer");
    assert!(matches!(error, CheckpointError::PointerMissing { .. }), "{error}");
    assert_eq!(place.tree().directories.len(), 2, "nothing was removed");
}

#[test]
fn an_operator_can_go_on_from_an_older_save() {
    let place = saved(&[4, 6]);
    std::fs::remove_file(shard(&place, "rng.safetensors")).expect("remove");
    place.load_error();
    let pointer = select(&mut place.storage(), "step-00000004").expect("a complete save");
    let loaded = place.load().expect("load").expect("committed");
    assert_eq!((loaded.pointer, loaded.state), (pointer, state(4)));
    place.save(6);
    assert_eq!(place.load().expect("load").expect("committed").state, state(6));
}

#[test]
fn only_a_sound_save_can_be_selected() {
    let place = saved(&[4, 6]);
    let before = place.tree();
    std::fs::write(shard(&place, "rng.safetensors"), b"x").expect("write");
    for name in ["step-00000005", "step-00000006", "../checkpoints", ""] {
        let error = select(&mut place.storage(), name).expect_err("not a sound save");
        assert!(matches!(error, CheckpointError::NoSuchSave { .. }), "{error}");
    }
    assert_eq!(place.tree().files[LATEST], before.files[LATEST]);
}
