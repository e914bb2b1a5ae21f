use super::*;
use contract::request::Perturbation;
use contract::trace::{index_path, records_path};

const HARD: Perturbation = Perturbation { seed: 20_261_129, poison: 0xA5, threads: 3 };

fn both(part: &str, stop_after: Option<u64>, level: ObserveLevel) -> (PathBuf, PathBuf, Room) {
    let room = Room::new();
    let request = |name, perturbation| {
        let mut request = room.request(name, part);
        (request.stop_after, request.observe, request.perturbation) = (stop_after, observed(level), perturbation);
        request
    };
    let (left, right) = (plain(&request("plain", None)), plain(&request("perturbed", Some(HARD))));
    (left, right, room)
}

fn equal_bytes(left: &Path, right: &Path) {
    for path in [records_path, index_path] {
        let read = |run| std::fs::read(path(run, 0)).expect("a trace");
        assert!(read(left) == read(right), "{}", path(right, 0).display());
    }
}

#[test]
fn the_data_pipeline_is_byte_equal_under_perturbation() {
    let (left, right, _room) = both("module/data_pipeline", None, ObserveLevel::Op);
    equal_bytes(&left, &right);
    assert_eq!(counter(&left, "poisoned_bytes"), 0);
    assert!(counter(&right, "poisoned_bytes") > 0 && counter(&right, "allocations_scattered") > 0);
}

#[test]
fn a_block_is_byte_equal_under_perturbation_and_was_really_disturbed() {
    let (left, right, _room) = both("module/attention_block", Some(1), ObserveLevel::Op);
    equal_bytes(&left, &right);
    for name in ["tasks_reordered", "delays_injected", "poisoned_bytes"] {
        assert!(counter(&right, name) > counter(&left, name), "{name}");
    }
}

#[test]
fn another_seed_of_the_recipe_is_not_byte_equal() {
    let room = Room::new();
    let text = include_str!("../../../../suite/recipes/dense-ieee.yaml");
    let text = text.replace("seed: 20261129", "seed: 7").replace("name: dense-ieee", "name: other");
    std::fs::write(room.0.path().join("other.yaml"), text).expect("write");
    let left = plain(&room.request("left", "module/data_pipeline"));
    let mut request = room.request("right", "module/data_pipeline");
    request.recipe = room.0.path().join("other.yaml").to_string_lossy().into_owned();
    let right = plain(&request);
    assert_ne!(std::fs::read(records_path(&left, 0)).ok(), std::fs::read(records_path(&right, 0)).ok());
}
