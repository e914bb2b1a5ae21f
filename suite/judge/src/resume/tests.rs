use super::*;
use crate::battery::craft::{Craft, LEAVES, state};
use crate::steps::RESTORED;
use contract::SCHEMA;
use std::path::Path;

const STEPS: u64 = 8;

fn pointer(step: u64) -> Pointer {
    Pointer { schema: SCHEMA, step, directory: format!("step-{step}"), manifest_digest: format!("manifest {step}") }
}

/// A run of the chain: it loads `loaded`, makes steps up to `until` and is killed there, unless that is the end.
fn segment(nonce: &str, loaded: u64, until: u64) -> Craft {
    let mut craft = Craft::training(nonce, STEPS, 1);
    craft.ranks[0].retain(|(step, _)| (loaded..until).contains(step));
    if until < STEPS {
        craft.end = None;
    }
    if let Some(step) = loaded.checked_sub(1) {
        let leaf = |leaf: &&str| (RESTORED.to_owned(), state(leaf, &format!("{step} {leaf}")));
        craft.ranks[0].insert(0, (step, LEAVES.iter().map(leaf).collect()));
    }
    craft
}

/// Killed in step 4 after the save of step 3; killed in step 6 after the save of step 5; runs to the end.
struct Situation {
    crafts: Vec<Craft>,
    segments: Vec<Segment>,
}

fn situation() -> Situation {
    let crafts = vec![segment("a", 0, 4), segment("b", 3, 6), segment("c", 5, STEPS)];
    let segment = |killed: bool, loaded: Option<u64>, committed: Option<u64>| Segment {
        trace: PathBuf::new(),
        killed,
        signal: killed.then_some(9),
        loaded: loaded.map(pointer),
        committed: committed.map(pointer),
    };
    let segments = vec![segment(true, None, Some(3)), segment(true, Some(3), Some(5)), segment(false, Some(5), None)];
    Situation { crafts, segments }
}

fn judged_in(scratch: &Path, bend: impl Fn(&mut Situation)) -> Outcome {
    let mut situation = situation();
    bend(&mut situation);
    let uninterrupted = scratch.join("uninterrupted");
    Craft::training("u", STEPS, 1).write(&uninterrupted).unwrap();
    for (index, (craft, segment)) in situation.crafts.iter().zip(&mut situation.segments).enumerate() {
        segment.trace = scratch.join(index.to_string());
        craft.write(&segment.trace).unwrap();
    }
    resume(&Chain { trial: "resume", uninterrupted, segments: situation.segments, steps: None })
}

fn judged(bend: impl Fn(&mut Situation)) -> Outcome {
    judged_in(tempfile::tempdir().unwrap().path(), bend)
}

fn breaks(words: &[&str], bend: impl Fn(&mut Situation)) {
    let outcome = judged(bend);
    assert_eq!(outcome.verdict, Verdict::ResumeBreak, "{}", outcome.message);
    for word in words {
        assert!(outcome.message.contains(word), "`{}` does not say `{word}`", outcome.message);
    }
}

#[test]
fn a_chain_that_is_equal_everywhere_passes_with_its_evidence() {
    let outcome = judged(|_| {});
    assert_eq!(outcome.verdict, Verdict::Pass, "{}", outcome.message);
    assert_eq!(outcome.counts.steps, STEPS);
    assert!(outcome.facts.iter().any(|fact| fact.contains("loaded step 5 (manifest manifest 5")));
    assert!(outcome.facts.iter().any(|fact| fact.starts_with("2 runs died")));
}

#[test]
fn a_run_killed_before_its_first_record_is_judged_by_the_next_one() {
    let outcome = judged(|situation| {
        situation.crafts[1].ranks[0].clear();
        situation.crafts[2] = segment("c", 3, STEPS);
        situation.segments[1].committed = Some(pointer(3));
        situation.segments[2].loaded = Some(pointer(3));
    });
    assert_eq!(outcome.verdict, Verdict::Pass, "{}", outcome.message);
}

#[test]
fn a_victim_that_did_not_die_by_signal_nine_breaks_the_chain() {
    breaks(&["run 0", "ended by itself"], |situation| situation.segments[0].signal = None);
    breaks(&["run 1", "signal 15"], |situation| situation.segments[1].signal = Some(15));
    breaks(&["run 2", "signal 11"], |situation| situation.segments[2].signal = Some(11));
}

#[test]
fn starting_over_and_loading_an_old_or_foreign_checkpoint_break_the_chain() {
    breaks(&["run 1", "started over"], |situation| {
        situation.segments[1].loaded = None;
        situation.crafts[1] = segment("b", 0, 6);
    });
    breaks(&["run 2", "older than step 5"], |situation| {
        situation.segments[2].loaded = Some(pointer(3));
        situation.crafts[2] = segment("c", 3, STEPS);
    });
    breaks(&["run 2", "manifest"], |situation| {
        situation.segments[2].loaded.as_mut().unwrap().manifest_digest = "other".into();
    });
}

#[test]
fn a_first_step_that_is_not_the_one_after_the_load_breaks_the_chain() {
    breaks(&["run 1", "step 4", "expected step 3"], |situation| {
        situation.crafts[1].ranks[0].retain(|(step, _)| *step != 3);
    });
    breaks(&["run 2", "went on with step 7", "expected step 6"], |situation| {
        situation.crafts[2].ranks[0].retain(|(step, _)| *step != 6);
    });
    breaks(&["run 1", "restored the state of another"], |situation| {
        situation.crafts[1].ranks[0][0].0 = 1;
    });
}

#[test]
fn state_that_is_restored_wrongly_is_named_by_leaf_and_section() {
    breaks(&["step 2", "right after the load", "`optimizer/m.w` (section optimizer)"], |situation| {
        situation.crafts[1].set(0, 2, "optimizer/m.w", "zeros");
    });
    breaks(&["right after the load", "`rng/dropout`"], |situation| {
        let restored = &mut situation.crafts[1].ranks[0][0].1;
        restored
            .retain(|(_, body)| !matches!(body, contract::record::Body::State { leaf, .. } if leaf == "rng/dropout"));
    });
}

#[test]
fn a_later_step_that_differs_is_named_with_leaf_or_scalar() {
    breaks(&["run 2, step 6", "after the step", "`data/cursor` (section data)"], |situation| {
        situation.crafts[2].set(0, 6, "data/cursor", "elsewhere");
    });
    breaks(&["run 2, step 7", "scalar `loss`"], |situation| situation.crafts[2].set(0, 7, "loss", "3f812345"));
}

#[test]
fn a_last_run_that_ends_early_breaks_the_chain() {
    breaks(&["run 2", "expected 8 steps"], |situation| {
        situation.crafts[2].ranks[0].pop();
        situation.crafts[2].end = Some(STEPS - 1);
    });
}

#[test]
fn chains_without_a_victim_an_end_a_restored_state_or_distinct_runs_are_invalid() {
    let bends: [fn(&mut Situation); 6] = [
        |situation| situation.segments.truncate(0),
        |situation| situation.segments.drain(..2).for_each(drop),
        |situation| situation.segments[2].killed = true,
        |situation| drop(situation.crafts[2].ranks[0].remove(0)),
        |situation| situation.crafts[2].run.nonce = "u".into(),
        |situation| situation.crafts[1].run.recipe_digest = "other".into(),
    ];
    for (index, bend) in bends.into_iter().enumerate() {
        assert_eq!(judged(bend).verdict, Verdict::Invalid, "{index}");
    }
}

#[test]
fn a_step_that_no_run_recorded_is_invalid() {
    let outcome = judged(|situation| {
        situation.segments[0].committed = None;
        situation.crafts[0].ranks[0].truncate(2);
    });
    assert_eq!(outcome.verdict, Verdict::Invalid, "{}", outcome.message);
    assert!(outcome.message.contains("step 2"));
}
