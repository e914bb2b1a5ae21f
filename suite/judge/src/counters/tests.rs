use super::*;

fn file(counters: &[(&str, u64)]) -> CountersFile {
    let counters = counters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    CountersFile { schema: contract::SCHEMA, counters }
}

fn verdict(a: &[(&str, u64)], b: &[(&str, u64)], names: &[&str]) -> Verdict {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    pair_differs(Claim::Neutral, "recompute", &file(a), &file(b), &names).verdict
}

#[test]
fn a_pair_differs_only_when_every_named_counter_does() {
    assert_eq!(verdict(&[("recomputed", 0)], &[("recomputed", 12)], &["recomputed"]), Verdict::Pass);
    assert_eq!(verdict(&[("a", 0), ("b", 4)], &[("a", 1), ("b", 4)], &["a", "b"]), Verdict::Invalid);
}

#[test]
fn zero_equal_missing_and_unnamed_counters_are_invalid() {
    assert_eq!(verdict(&[("a", 0)], &[("a", 0)], &["a"]), Verdict::Invalid);
    assert_eq!(verdict(&[("a", 7)], &[("a", 7)], &["a"]), Verdict::Invalid);
    assert_eq!(verdict(&[], &[("a", 7)], &["a"]), Verdict::Invalid);
    assert_eq!(verdict(&[("a", 7)], &[], &["a"]), Verdict::Invalid);
    assert_eq!(verdict(&[("a", 7)], &[("a", 8)], &[]), Verdict::Invalid);
}
