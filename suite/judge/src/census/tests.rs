use super::*;
use crate::battery::craft::{Craft, LEAVES, fingerprint};
use std::fs;

fn leaf(name: &str) -> Leaf {
    Leaf { leaf: name.to_owned(), dtype: "f32".to_owned(), shape: vec![2], fingerprint: fingerprint(name) }
}

fn state() -> Vec<Leaf> {
    LEAVES.iter().map(|name| leaf(name)).collect()
}

fn sections() -> Vec<String> {
    ["params", "optimizer", "rng", "data", "fingerprints"].map(str::to_owned).to_vec()
}

fn gap_after(bend: impl Fn(&mut Vec<Leaf>)) -> Outcome {
    let mut saved = state();
    bend(&mut saved);
    census("census", 3, &state(), &saved, &sections())
}

#[test]
fn equal_lists_in_any_order_have_no_gap() {
    assert_eq!(gap_after(|saved| saved.reverse()).verdict, Verdict::Pass);
}

#[test]
fn a_missing_extra_altered_or_double_leaf_is_a_gap_that_is_named() {
    type Bend = fn(&mut Vec<Leaf>);
    let bends: [(Bend, &str); 6] = [
        (|saved| saved.retain(|leaf| leaf.leaf != "params/b"), "params/b"),
        (|saved| saved.push(leaf("optimizer/stale")), "optimizer/stale"),
        (|saved| saved[0].fingerprint.1 ^= 1, "params/w"),
        (|saved| saved[2].shape = vec![2, 1], "optimizer/m.w"),
        (|saved| saved.push(leaf("rng/dropout")), "twice"),
        (|saved| saved.retain(|leaf| leaf.leaf != "data/cursor"), "section `data`"),
    ];
    for (bend, name) in bends {
        let outcome = gap_after(bend);
        assert_eq!(outcome.verdict, Verdict::CensusGap, "{name}");
        assert!(outcome.message.contains(name), "{} does not name {name}", outcome.message);
        assert!(outcome.divergence.unwrap().section().is_some());
    }
}

#[test]
fn a_section_that_is_empty_on_both_sides_is_a_gap_and_nothing_live_is_invalid() {
    let few: Vec<_> = state().into_iter().filter(|leaf| !leaf.leaf.starts_with("rng")).collect();
    assert_eq!(census("census", 3, &few, &few, &sections()).verdict, Verdict::CensusGap);
    assert_eq!(census("census", 3, &[], &[], &[]).verdict, Verdict::Invalid);
}

#[test]
fn live_state_is_read_from_the_step_that_is_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let run = scratch.path().join("run");
    Craft::training("n", 4, 1).write(&run).unwrap();
    let leaves = live(&run, 2, false).unwrap();
    assert_eq!(leaves.len(), LEAVES.len());
    let w = leaves.iter().find(|leaf| leaf.leaf == "params/w").unwrap();
    assert_eq!(w.fingerprint, fingerprint("2 params/w"));
    assert!(live(&run, 4, false).is_err());
    assert!(live(&run, 2, true).is_err());
}

#[test]
fn files_are_equal_byte_for_byte_or_differ_at_a_named_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let judge = |left: &[u8], right: &[u8]| {
        fs::write(&a, left).unwrap();
        fs::write(&b, right).unwrap();
        same_bytes("save", &a, &b)
    };
    assert_eq!(judge(b"bytes", b"bytes").verdict, Verdict::Pass);
    assert!(judge(b"bytes", b"bytez").message.contains("byte 4"));
    assert_eq!(judge(b"bytes", b"byte").verdict, Verdict::CensusGap);
    assert_eq!(judge(b"", b"").verdict, Verdict::Invalid);
    assert_eq!(same_bytes("save", &a, &a).verdict, Verdict::Invalid);
    assert_eq!(same_bytes("save", &a, &folder.path().join("none")).verdict, Verdict::Invalid);
}
