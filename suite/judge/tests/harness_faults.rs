//! The comparer of the suite passes the whole battery; comparers with faults that shipped elsewhere do not.

use contract::verdict::Verdict;
use judge::battery::faulty::faulty;
use judge::battery::{Missed, cases, self_test};
use judge::{Comparer, Exact, Outcome, Pair};
use std::collections::BTreeSet;

fn missed(comparer: &dyn Comparer) -> Vec<Missed> {
    self_test(comparer, tempfile::tempdir().unwrap().path()).unwrap()
}

#[test]
fn the_comparer_of_the_suite_passes_the_whole_battery() {
    assert_eq!(missed(&Exact), []);
}

#[test]
fn cases_have_unique_names_and_provoke_red_and_green() {
    let cases = cases();
    assert_eq!(cases.iter().map(|case| case.name).collect::<BTreeSet<_>>().len(), cases.len());
    let verdicts: BTreeSet<_> = cases.iter().map(|case| case.expected).collect();
    assert!(verdicts.len() >= 7, "{verdicts:?}");
}

#[test]
fn every_comparer_with_a_fault_is_noticed_by_the_cases_that_it_names() {
    for faulty in faulty() {
        let missed = missed(faulty.comparer);
        for case in faulty.misses {
            let noticed = missed.iter().any(|missed| missed.case == *case);
            assert!(noticed, "{} {}: `{case}` is not among {missed:#?}", faulty.id, faulty.title);
        }
    }
}

/// A comparer that finds everything wrong.
struct AlwaysRed;
impl Comparer for AlwaysRed {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        Outcome::new(Verdict::Nondeterministic, pair.claim, pair.trial, "different")
    }
}

#[test]
fn a_comparer_that_is_always_red_is_noticed() {
    assert!(missed(&AlwaysRed).iter().any(|missed| missed.case == "equal runs are equal"));
}
