use super::*;
use crate::battery::craft::{Craft, fingerprint};
use crate::compare::{Mode, Pair, compare};
use crate::outcome::Outcome;
use crate::overwrite::overwrites;
use contract::claim::Claim;
use contract::record::Body;
use contract::trace::{element_file, elements_path};
use contract::verdict::Verdict;
use std::path::Path;

fn judge(scratch: &Path, claim: Claim, mode: Mode, bend: impl Fn(&mut Craft)) -> Outcome {
    let (a, b) = (scratch.join("a"), scratch.join("b"));
    Craft::training("a", 6, 1).write(&a).unwrap();
    let mut other = Craft::training("b", 6, 1);
    bend(&mut other);
    other.write(&b).unwrap();
    compare(&Pair { audited: true, ..Pair::new(claim, mode, "t", &a, &b) })
}

fn variant(craft: &mut Craft) {
    for step in 0..6 {
        craft.bend(0, step, |body| {
            if let Body::Tensor(tensor) = body {
                "cpu_fast".clone_into(&mut tensor.variant);
            }
        });
    }
}

#[test]
fn only_the_frame_that_differs_is_unpacked() {
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    Craft::training("a", 200, 1).write(&a).unwrap();
    let mut other = Craft::training("b", 200, 1);
    other.set(0, 190, "data/cursor", "x");
    other.write(&b).unwrap();
    let outcome = compare(&Pair { audited: true, ..Pair::new(Claim::Repeat, Mode::Strict, "t", &a, &b) });
    assert_eq!((outcome.counts.frames_equal, outcome.counts.frames_unpacked), (190, 1));
    assert_eq!(outcome.divergence.unwrap().step, 190);
    assert!(outcome.facts.contains(&"190 frames equal as stored, 1 unpacked".to_owned()));
}

#[test]
fn frames_packed_differently_are_equal_when_their_records_are() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Repeat, Mode::Strict, |_| {});
    assert_eq!((outcome.verdict, outcome.counts.frames_unpacked), (Verdict::Pass, 0));
    repack(&scratch.path().join("b"));
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    let outcome = compare(&Pair::new(Claim::Repeat, Mode::Strict, "t", &a, &b));
    assert_eq!((outcome.verdict, outcome.counts.frames_unpacked), (Verdict::Pass, 7));
}

/// Stores the frames of rank 0 at another compression level.
fn repack(directory: &Path) {
    use contract::trace::{FrameEntry, index_path, records_path};
    let (records, index) = (records_path(directory, 0), index_path(directory, 0));
    let (old, text) = (std::fs::read(&records).unwrap(), std::fs::read_to_string(&index).unwrap());
    let (mut new, mut lines) = (Vec::new(), String::new());
    for line in text.lines() {
        let mut entry: FrameEntry = serde_json::from_str(line).unwrap();
        let stored = &old[entry.offset as usize..(entry.offset + entry.stored_bytes) as usize];
        let packed = zstd::bulk::compress(&zstd::bulk::decompress(stored, 1 << 20).unwrap(), 19).unwrap();
        entry.offset = new.len() as u64;
        entry.stored_bytes = packed.len() as u64;
        let hash = blake3::hash(&packed).to_hex().to_string();
        let prefix = entry.stored_digest.split_once(':').map_or(String::new(), |(name, _)| format!("{name}:"));
        entry.stored_digest = format!("{prefix}{hash}");
        new.extend(packed);
        lines += &format!("{}\n", serde_json::to_string(&entry).unwrap());
    }
    std::fs::write(records, new).unwrap();
    std::fs::write(index, lines).unwrap();
}

#[test]
fn the_root_is_the_first_output_whose_inputs_are_equal() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| {
        craft.set(0, 3, "h", "both the output and the input that reads it");
        craft.set(0, 3, "params/w", "x");
    });
    let divergence = outcome.divergence.unwrap();
    assert_eq!((divergence.kind, divergence.node.as_deref()), (Kind::Output, Some("embedding")));
    assert_eq!((divergence.inputs_equal, divergence.index), (Some(true), Some(0)));
    assert_eq!(divergence.contract.as_deref(), Some("embedding.chain.v1"));
}

#[test]
fn an_input_that_no_recorded_node_wrote_is_named_as_such() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| craft.set(0, 1, "tokens", "x"));
    let divergence = outcome.divergence.unwrap();
    assert_eq!((divergence.kind, divergence.inputs_equal), (Kind::Input, Some(false)));
}

#[test]
fn an_overwrite_inside_one_run_names_producer_and_consumer() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| {
        craft.bend(0, 2, |body| match body {
            Body::Tensor(tensor) if tensor.tensor == "h" && tensor.role == Role::In => {
                tensor.fingerprint = fingerprint("overwritten");
            }
            _ => {}
        });
    });
    let divergence = outcome.divergence.unwrap();
    assert_eq!(divergence.kind, Kind::Overwrite);
    assert_eq!((divergence.producer.as_deref(), divergence.node.as_deref()), (Some("embedding"), Some("mlp")));
    assert!(overwrites(&scratch.path().join("a")).unwrap().is_empty());
    let found = overwrites(&scratch.path().join("b")).unwrap();
    assert_eq!((found.len(), found[0].step, found[0].consumer.as_str()), (1, 2, "mlp"));
}

#[test]
fn a_variant_chosen_differently_in_a_repeat_is_a_difference_although_the_bits_are_equal() {
    let scratch = tempfile::tempdir().unwrap();
    let divergence = judge(scratch.path(), Claim::Repeat, Mode::Strict, variant).divergence.unwrap();
    assert_eq!((divergence.kind, divergence.step), (Kind::Description, 0));
    assert!(divergence.cause.contains("cpu_fast"));
    let scratch = tempfile::tempdir().unwrap();
    assert_eq!(judge(scratch.path(), Claim::Backend, Mode::State, variant).verdict, Verdict::Pass);
}

#[test]
fn a_backend_pair_whose_state_differs_names_the_node_when_both_sides_recorded_it() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Backend, Mode::State, |craft| {
        variant(craft);
        craft.set(0, 4, "y", "x");
        craft.set(0, 4, "params/w", "x");
    });
    assert_eq!(outcome.verdict, Verdict::BackendBreak);
    let divergence = outcome.divergence.unwrap();
    assert_eq!((divergence.op.as_deref(), divergence.variant.as_deref()), (Some("mlp"), Some("cpu_fast")));
    assert_eq!((divergence.step, divergence.inputs_equal), (4, Some(true)));
}

#[test]
fn inputs_of_another_split_are_not_called_equal() {
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Neutral, Mode::State, |craft| {
        craft.bend(0, 4, |body| match body {
            Body::Tensor(tensor) if tensor.role == contract::record::Role::In => tensor.shape = vec![7],
            Body::Tensor(tensor) => tensor.fingerprint = fingerprint("other"),
            Body::State { fingerprint: of_leaf, .. } => *of_leaf = fingerprint("other"),
            _ => {}
        });
    });
    let divergence = outcome.divergence.unwrap();
    assert_eq!((divergence.kind, divergence.step, divergence.inputs_equal), (Kind::Output, 4, None));
}

#[test]
fn an_evaluation_that_only_one_side_made_is_not_compared_and_one_that_both_made_is() {
    let eval = |bits: u32, craft: &mut Craft| {
        let body = crate::battery::craft::scalar("loss", bits);
        craft.ranks[0][3].1.push(("eval".to_owned(), body));
    };
    let scratch = tempfile::tempdir().unwrap();
    let outcome = judge(scratch.path(), Claim::Neutral, Mode::State, |craft| eval(0x4000_0000, craft));
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert!(outcome.not_compared.iter().any(|text| text.contains("evaluations")));
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    for (path, bits) in [(&a, 0x4000_0000), (&b, 0x4000_0001)] {
        let mut craft = Craft::training(&bits.to_string(), 6, 1);
        eval(bits, &mut craft);
        craft.write(path).unwrap();
    }
    assert_eq!(compare(&Pair::new(Claim::Neutral, Mode::State, "t", &a, &b)).verdict, Verdict::NotNeutral);
}

#[test]
fn kernel_parts_are_compared_by_the_tensors_of_each_case() {
    let judge = |claim, bend: fn(&mut Craft)| {
        let scratch = tempfile::tempdir().unwrap();
        let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
        Craft::kernel("a").write(&a).unwrap();
        let mut other = Craft::kernel("b");
        bend(&mut other);
        other.write(&b).unwrap();
        compare(&Pair::new(claim, Mode::State, "t", &a, &b))
    };
    assert_eq!(judge(Claim::Backend, |_| {}).counts.items, 9);
    let outcome = judge(Claim::Backend, |craft| craft.set(0, 2, "y", "x"));
    assert_eq!(outcome.verdict, Verdict::BackendBreak);
    assert_eq!(outcome.divergence.unwrap().phase, "block");
    let drop_gamma: fn(&mut Craft) = |craft| {
        let is_gamma = |body: &Body| matches!(body, Body::Tensor(tensor) if tensor.tensor == "gamma");
        craft.ranks[0].iter_mut().for_each(|(_, records)| records.retain(|(_, body)| !is_gamma(body)));
    };
    assert_eq!(judge(Claim::Backend, drop_gamma).verdict, Verdict::BackendBreak);
    let fused = judge(Claim::Fused, drop_gamma);
    assert_eq!((fused.verdict, fused.not_compared.len()), (Verdict::Pass, 1));
}

#[test]
fn a_rerun_explains_and_never_excuses() {
    let scratch = tempfile::tempdir().unwrap();
    let first = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| craft.set(0, 3, "params/w", "x"));
    let first = first.divergence.unwrap();
    assert_eq!(refine(&first, None).cause, HIDDEN);
    assert_eq!(refine(&first, None).step, first.step);
    let deeper = Divergence { node: Some("mlp".into()), ..first.clone() };
    assert_eq!(refine(&first, Some(deeper.clone())), deeper);
    let elsewhere = refine(&first, Some(Divergence { step: 5, ..deeper }));
    assert!(elsewhere.cause.contains("first at step 3"), "{}", elsewhere.cause);
}

#[test]
fn element_files_of_both_runs_are_compared_at_the_divergence() {
    let scratch = tempfile::tempdir().unwrap();
    let first = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| craft.set(0, 3, "y", "x"));
    assert_eq!(first.divergence.unwrap().elements, None);
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    for (run, bits) in [(&a, 0x3f80_0000_u32), (&b, 0x3f80_0002)] {
        std::fs::create_dir(elements_path(run)).unwrap();
        let mut words = [0x3f80_0000_u32; 32];
        words[9] = bits;
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(elements_path(run).join(element_file(3, "mlp", Role::Out, 0, "y")), bytes).unwrap();
    }
    let outcome = compare(&Pair::new(Claim::Repeat, Mode::Strict, "t", &a, &b));
    let elements = outcome.divergence.unwrap().elements.unwrap();
    assert_eq!((elements.count, elements.max_ulp, elements.first_index), (1, 2, vec![1, 1]));
}

#[test]
fn a_rerun_that_is_no_evidence_changes_no_verdict() {
    let scratch = tempfile::tempdir().unwrap();
    let first = judge(scratch.path(), Claim::Repeat, Mode::Strict, |craft| craft.set(0, 3, "params/w", "x"));
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    let itself = Pair { rerun: Some((&a, &a)), ..Pair::new(Claim::Repeat, Mode::Strict, "t", &a, &b) };
    let outcome = compare(&itself);
    assert_eq!(outcome.verdict, first.verdict);
    assert!(outcome.divergence.unwrap().cause.contains("the rerun is no evidence"));
}
