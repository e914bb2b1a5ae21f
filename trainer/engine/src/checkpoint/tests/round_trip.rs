use super::super::{CheckpointError, SaveOptions, directory_name, save, shard, step_of};
use super::{Place, recipe, small, state};
use contract::pointer::LATEST;
use library::tensor::{Spec, Tensor};
use proptest::prelude::*;
use safetensors::tensor::{TensorView, serialize};

#[test]
fn a_saved_state_is_loaded_bit_for_bit() {
    let place = Place::new();
    let pointer = place.save(6);
    let loaded = place.load().expect("load").expect("committed");
    assert_eq!(loaded.state, state(6));
    assert_eq!(loaded.pointer, pointer);
    assert_eq!((pointer.step, pointer.directory.as_str()), (6, "step-00000006"));
}

#[test]
fn save_load_save_gives_equal_bytes_in_every_file() {
    let (first, second) = (Place::new(), Place::new());
    first.save(6);
    let loaded = first.load().expect("load").expect("committed").state;
    save(&mut second.storage(), 6, &recipe(), &loaded, &small()).expect("save");
    assert_eq!(first.tree(), second.tree());
    assert_eq!(first.tree().files.len(), 7, "five sections, the manifest and the pointer");
}

#[test]
fn the_size_of_a_write_changes_no_byte() {
    let (first, second) = (Place::new(), Place::new());
    first.save(6);
    save(&mut second.storage(), 6, &recipe(), &state(6), &SaveOptions::default()).expect("save");
    assert_eq!(first.tree(), second.tree());
}

#[test]
fn nothing_committed_loads_as_nothing() {
    assert_eq!(Place::new().load().expect("load"), None);
}

#[test]
fn a_shard_has_the_bytes_that_the_library_would_write() {
    let state = state(3);
    let shards = shard::encode(&state, u64::MAX);
    let params: Vec<_> = state.leaves.iter().filter(|leaf| leaf.section() == "optimizer").collect();
    let dtypes = [safetensors::Dtype::F32, safetensors::Dtype::U64, safetensors::Dtype::I32];
    let views = params.iter().zip(dtypes).map(|(leaf, dtype)| {
        let view = TensorView::new(dtype, leaf.tensor.spec.shape.clone(), leaf.tensor.bytes()).expect("a view");
        (leaf.name.clone(), view)
    });
    assert_eq!(shards[1].file, "optimizer.safetensors");
    assert_eq!(shards[1].pieces.concat(), serialize(views, None).expect("serialise"));
}

#[test]
fn a_large_section_is_split_and_loads_the_same() {
    let place = Place::new();
    let options = SaveOptions { shard_bytes: 82, ..small() };
    save(&mut place.storage(), 2, &recipe(), &state(2), &options).expect("save");
    let files: Vec<_> = place.tree().files.into_keys().filter(|file| file.contains("optimizer")).collect();
    assert_eq!(
        files,
        ["step-00000002/optimizer-00000-of-00002.safetensors", "step-00000002/optimizer-00001-of-00002.safetensors"]
    );
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
}

#[test]
fn the_newest_save_is_loaded_and_two_stay() {
    let place = Place::new();
    for step in [2, 4, 6, 8] {
        place.save(step);
    }
    assert_eq!(place.load().expect("load").expect("committed").state, state(8));
    assert_eq!(place.tree().directories, ["step-00000006", "step-00000008"].map(str::to_owned).into());
}

#[test]
fn more_saves_stay_when_asked_and_never_fewer_than_two() {
    for (keep, expected) in [(0, 2), (3, 3)] {
        let place = Place::new();
        for step in [2, 4, 6, 8] {
            save(&mut place.storage(), step, &recipe(), &state(step), &SaveOptions { keep, ..small() }).expect("save");
        }
        assert_eq!(place.tree().directories.len(), expected);
    }
}

#[test]
fn an_incomplete_older_folder_does_not_count_as_kept() {
    let place = Place::new();
    place.save(2);
    place.save(4);
    std::fs::remove_file(place.root().join("step-00000004/rng.safetensors")).expect("remove");
    place.save(6);
    let kept = ["step-00000002", "step-00000004", "step-00000006"].map(str::to_owned);
    assert_eq!(place.tree().directories, kept.into());
}

#[test]
fn leftovers_of_killed_saves_are_removed_by_the_next_save() {
    let place = Place::new();
    place.save(2);
    let committed = std::fs::read(place.root().join(LATEST)).expect("pointer");
    place.save(4);
    // As if the run had been killed between the rename of the folder and that of the pointer.
    std::fs::write(place.root().join(LATEST), committed).expect("write");
    std::fs::create_dir(place.root().join(".tmp-step-00000009")).expect("create");
    std::fs::write(place.root().join(".tmp-step-00000009/params.safetensors"), b"half").expect("write");
    std::fs::write(place.root().join("latest.json.tmp"), b"half").expect("write");
    assert_eq!(place.load().expect("load").expect("committed").pointer.step, 2);
    place.save(3);
    let tree = place.tree();
    assert_eq!(tree.directories, ["step-00000002", "step-00000003"].map(str::to_owned).into());
    assert!(!tree.files.contains_key("latest.json.tmp"));
    assert_eq!(place.load().expect("load").expect("committed").state, state(3));
}

#[test]
fn one_complete_folder_without_a_pointer_was_never_committed() {
    let place = Place::new();
    place.save(2);
    std::fs::remove_file(place.root().join(LATEST)).expect("remove");
    assert_eq!(place.load().expect("load"), None);
    place.save(2);
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
}

#[test]
fn saving_a_step_again_with_equal_bytes_changes_nothing() {
    let place = Place::new();
    let first = place.save(2);
    let before = place.tree();
    assert_eq!(place.save(2), first);
    assert_eq!(place.tree(), before);
}

#[test]
fn saving_a_step_again_with_other_bytes_is_an_error() {
    let place = Place::new();
    place.save(2);
    let before = place.tree();
    let error = save(&mut place.storage(), 2, &recipe(), &state(3), &small()).expect_err("other bytes");
    assert!(matches!(error, CheckpointError::Diverged { step: 2, .. }), "{error}");
    assert_eq!(place.tree(), before);
}

#[test]
fn an_older_step_never_replaces_a_newer_one() {
    let place = Place::new();
    place.save(4);
    let error = save(&mut place.storage(), 2, &recipe(), &state(2), &small()).expect_err("older");
    assert!(matches!(error, CheckpointError::NotNewer { step: 2, newest: 4, .. }), "{error}");
}

#[test]
fn a_state_without_leaves_or_with_a_name_twice_or_without_a_section_is_an_error() {
    let place = Place::new();
    let mut twice = state(1);
    twice.leaves.push(twice.leaves[0].clone());
    let mut lost = state(1);
    lost.leaves[0].name = "embedding".to_owned();
    let empty = super::State::default();
    for (state, word) in [(twice, "twice"), (lost, "no section"), (empty, "no leaf")] {
        let error = save(&mut place.storage(), 1, &recipe(), &state, &small()).expect_err("not valid");
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(place.load().expect("load"), None);
}

#[test]
fn only_the_exact_form_of_a_folder_name_has_a_step() {
    assert_eq!(step_of(&directory_name(6)), Some(6));
    assert_eq!(step_of(&directory_name(1_234_567_890)), Some(1_234_567_890));
    for name in ["step-6", "step-000000006", "step-0000000x", ".tmp-step-00000006", "step-+0000006"] {
        assert_eq!(step_of(name), None, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_bits_and_shapes_survive_a_round_trip(shape in proptest::collection::vec(0_usize..4, 0..4), seed in any::<u64>()) {
        let place = Place::new();
        let mut state = state(seed);
        let spec = Spec::f32(&shape);
        let bytes: Vec<u8> = (0..spec.bytes() as u64).map(|at| (seed.rotate_left(at as u32) ^ at) as u8).collect();
        state.leaves[0].tensor = Tensor::from_bytes(spec, &bytes);
        save(&mut place.storage(), 1, &recipe(), &state, &small()).expect("save");
        let expectations = super::Expectations::of(&recipe(), &state);
        let loaded = super::load(&place.root(), &expectations, &super::ExactState).expect("load").expect("committed");
        prop_assert_eq!(loaded.state, state);
    }
}
