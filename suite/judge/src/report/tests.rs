use super::*;
use crate::battery::craft::Craft;
use crate::compare::{Mode, Pair, compare};
use crate::elements::BitFields;
use contract::claim::Claim;
use contract::verdict::Verdict;

fn outcome() -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (scratch.path().join("a"), scratch.path().join("b"));
    Craft::training("a", 4, 1).write(&a).unwrap();
    let mut other = Craft::training("b", 4, 1);
    other.set(0, 3, "y", "x");
    other.write(&b).unwrap();
    let mut outcome = compare(&Pair::new(Claim::Repeat, Mode::Strict, "dense-ieee end_to_end repeat", &a, &b));
    let fields = |bits| BitFields { bits, sign: 0, exponent: 127, mantissa: bits & 0x7f_ffff };
    outcome.divergence.as_mut().unwrap().elements = Some(ElementReport {
        count: 3,
        total: 32,
        max_ulp: 1,
        first_index: vec![0, 5],
        first_left: fields(0x3f80_0000),
        first_right: fields(0x3f80_0001),
        pattern: "row 0".to_owned(),
    });
    outcome
}

#[test]
fn a_failure_says_everything_that_a_reader_needs_in_order() {
    let text =
        failure_text(&outcome(), "lockstep run --seed 7", "lockstep run --observe element", Path::new("/r.json"));
    let lines: Vec<_> = text.lines().collect();
    let expected = [
        "NONDETERMINISTIC repeat · dense-ieee end_to_end repeat: ",
        "first        step 3, rank 0, forward, layers.0.mlp, node mlp, tensor y",
        "inputs       equal · left f32 [4,8] ",
        "elements     3 of 32 differ, up to 1 ulp; first at [0, 5] (3f800000 / 3f800001); row 0",
        "contract     mlp.chain.v1, variant cpu_reference",
        "likely cause `mlp` gave other bits for equal inputs",
        "reproduce    lockstep run --seed 7",
        "look closer  lockstep run --observe element",
        "not compared nothing that the claim covers",
        "report       /r.json",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "`{line}` does not start with `{expected}`");
    }
}

#[test]
fn the_longest_failure_keeps_to_twelve_lines_of_160_columns_and_its_commands_stay_whole() {
    let mut outcome = outcome();
    let long = "word ".repeat(55);
    outcome.message.clone_from(&long);
    outcome.trial.clone_from(&long);
    outcome.not_compared = vec![long.clone(); 9];
    let divergence = outcome.divergence.as_mut().unwrap();
    divergence.module = Some("layers.".repeat(40));
    divergence.contract = Some("c".repeat(300));
    divergence.cause = "line\nline ".repeat(30);
    let command = long.trim();
    let text = failure_text(&outcome, command, command, Path::new(&"/folder".repeat(40)));
    assert_eq!(text.lines().count(), LINES);
    assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    let joined: Vec<_> = text.replace(" \\\n", " ").lines().map(str::to_owned).collect();
    let reproduce = joined.iter().find(|line| line.starts_with("reproduce")).unwrap();
    assert_eq!(reproduce.matches("word").count(), 55);
}

#[test]
fn a_failure_without_a_divergence_is_short() {
    let outcome = Outcome::new(Verdict::Invalid, Claim::Golden, "t", "the trace is empty");
    assert_eq!(failure_text(&outcome, "a", "b", Path::new("r")).lines().count(), 5);
}

#[test]
fn an_outcome_survives_the_json_report() {
    let outcome = outcome();
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    assert!(text.contains("\"verdict\":\"NONDETERMINISTIC\""));
}
