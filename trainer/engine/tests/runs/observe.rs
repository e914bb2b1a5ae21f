use super::*;
use contract::record::Role;
use contract::trace::{element_file, elements_path};
use fingerprint::Fingerprint;
use std::collections::{BTreeMap, BTreeSet};

fn at(room: &Room, part: &str, level: ObserveLevel) -> PathBuf {
    let mut request = room.request(&format!("{level:?}"), part);
    request.observe = observed(level);
    request.stop_after = Some(0);
    plain(&request)
}

/// Records without their numbers, which depend on how many there are.
fn said(run: &Path) -> Vec<(u64, String, String)> {
    let text = |record: Record| (record.step, record.phase, format!("{:?}", record.body));
    records(run).into_iter().map(text).collect()
}

fn is_within<T: PartialEq>(few: &[T], many: &[T]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|item| rest.any(|other| other == item))
}

#[test]
fn what_a_level_records_every_higher_level_records_too_in_the_same_order() {
    let levels = [ObserveLevel::Loss, ObserveLevel::Step, ObserveLevel::Phase, ObserveLevel::Module, ObserveLevel::Op];
    let room = Room::new();
    let said = levels.map(|level| said(&at(&room, "module/attention_block", level)));
    for (level, pair) in levels.iter().zip(said.windows(2)) {
        assert!(is_within(&pair[0], &pair[1]), "{level:?}");
        assert!(pair[0].len() < pair[1].len(), "{level:?} and the next one record the same");
        assert!(!is_within(&pair[1], &pair[0]));
    }
}

#[test]
fn the_element_level_writes_the_bytes_of_every_tensor_to_the_file_that_the_contract_names() {
    // The body runs twice in a step, so a node has two records of each operand.
    let room = Room::new();
    let run = at(&room, "module/attention_block", ObserveLevel::Element);
    assert_eq!(counter(&run, "micro_batches"), 2);
    let mut seen: BTreeMap<(u64, String, Role), u64> = BTreeMap::new();
    let mut files = BTreeSet::new();
    for record in records(&run) {
        let Body::Tensor(tensor) = record.body else { continue };
        let index = seen.entry((record.step, tensor.node.clone(), tensor.role)).or_default();
        let file = element_file(record.step, &tensor.node, tensor.role, *index, &tensor.tensor);
        *index += 1;
        let bytes = std::fs::read(elements_path(&run).join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(Fingerprint::of_bytes(&bytes), tensor.fingerprint, "{file}");
        files.insert(file);
    }
    let written = std::fs::read_dir(elements_path(&run)).expect("the folder").count();
    assert_eq!(written, files.len(), "one file a record and no other");
    assert!(written > 100, "{written}");
}

#[test]
fn steps_that_are_not_asked_for_are_recorded_at_the_level_of_steps() {
    let room = Room::new();
    let mut request = room.request("run", "module/optimizer_step");
    request.observe = Observe { level: ObserveLevel::Op, steps: Some((1, 1)) };
    request.stop_after = Some(2);
    let records = records(&plain(&request));
    let tensors = |step| records.iter().filter(|r| r.step == step && matches!(r.body, Body::Tensor(_))).count();
    assert_eq!((tensors(0), tensors(2)), (0, 0));
    assert!(tensors(1) > 0);
    assert!((0..3).all(|step| !state(&records, step, "state").is_empty()));
}
