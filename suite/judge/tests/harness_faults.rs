//! The comparer of the suite passes the whole battery; comparers with faults that shipped elsewhere do not.

use contract::record::{Body, Record};
use contract::trace::{Completeness, TraceReader};
use contract::verdict::Verdict;
use judge::battery::{Missed, cases, self_test};
use judge::golden::Golden;
use judge::{Comparer, Exact, Outcome, Pair};
use std::collections::BTreeSet;
use std::path::Path;

fn missed(comparer: &dyn Comparer) -> Vec<Missed> {
    self_test(comparer, tempfile::tempdir().unwrap().path()).unwrap()
}

fn misses(comparer: &dyn Comparer, case: &str) {
    let missed = missed(comparer);
    assert!(missed.iter().any(|missed| missed.case == case), "`{case}` is not among {missed:#?}");
}

fn records(run: &Path) -> Vec<Record> {
    TraceReader::open(run, 0, Completeness::Complete).and_then(|mut reader| reader.records()).unwrap_or_default()
}

/// The values of a run, in order.
fn values(run: &Path) -> Vec<String> {
    records(run)
        .into_iter()
        .filter_map(|record| match record.body {
            Body::State { fingerprint, .. } => Some(fingerprint.to_string()),
            Body::Scalar { bits, .. } => Some(bits),
            _ => None,
        })
        .collect()
}

/// A verdict by `equal` alone, in place of the exact one, wherever the exact one is not INVALID.
fn instead(pair: &Pair<'_>, equal: bool) -> Outcome {
    let exact = Exact.pair(pair);
    if exact.verdict == Verdict::Invalid {
        return exact;
    }
    if equal { Outcome::new(Verdict::Pass, pair.claim, pair.trial, "equal") } else { exact }
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

/// F097: passes when the share of steps that match reaches what was meant as the allowed share of misses.
struct InvertedThreshold;
impl Comparer for InvertedThreshold {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let (left, right) = (values(pair.left), values(pair.right));
        let matching = left.iter().zip(&right).filter(|(a, b)| a == b).count();
        instead(pair, matching * 20 >= left.len())
    }
}

#[test]
fn an_inverted_threshold_is_noticed() {
    misses(&InvertedThreshold, "every step but one differs");
}

/// F099: runs again after a mismatch and reports what comes out then.
struct RetryUntilGreen;
impl Comparer for RetryUntilGreen {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let first = Exact.pair(&Pair { rerun: None, ..*pair });
        match pair.rerun {
            Some((left, right)) if !first.passed() => Exact.pair(&Pair { left, right, rerun: None, ..*pair }),
            _ => first,
        }
    }
}

#[test]
fn a_retry_until_green_is_noticed() {
    misses(&RetryUntilGreen, "a difference that a rerun does not show");
}

/// F099: compares after rounding the last bits away.
struct Rounding;
impl Comparer for Rounding {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let round = |run| values(run).into_iter().map(|bits| bits[..bits.len() - 2].to_owned()).collect::<Vec<_>>();
        instead(pair, round(pair.left) == round(pair.right))
    }
}

#[test]
fn rounding_the_last_bits_away_is_noticed() {
    misses(&Rounding, "the lowest bit of one loss");
}

/// F100: compares whatever it can read, even when that is nothing.
struct EmptyAccepted;
impl Comparer for EmptyAccepted {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let (left, right) = (values(pair.left), values(pair.right));
        if left == right { Outcome::new(Verdict::Pass, pair.claim, pair.trial, "equal") } else { Exact.pair(pair) }
    }
}

#[test]
fn an_empty_log_that_is_accepted_is_noticed() {
    for case in ["logs with nothing but an end", "logs without a byte", "logs that do not exist", "logs without an end"]
    {
        misses(&EmptyAccepted, case);
    }
}

/// F101: skips what was made in another environment.
struct OtherEnvironmentSkipped;
impl Comparer for OtherEnvironmentSkipped {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let environment = |run: &Path| std::fs::read(run.join("env.json")).ok();
        instead(pair, environment(pair.left) != environment(pair.right))
    }

    fn golden(&self, golden: &Golden, trial: &str, run: &Path, contracts: &[String]) -> Outcome {
        let outcome = Exact.golden(golden, trial, run, contracts);
        match outcome.verdict {
            Verdict::EnvDrift => Outcome { verdict: Verdict::Pass, ..outcome },
            _ => outcome,
        }
    }
}

#[test]
fn skipping_another_environment_is_noticed() {
    misses(&OtherEnvironmentSkipped, "bits and environment differ");
    misses(&OtherEnvironmentSkipped, "opaque bits moved with the environment");
}

/// F102: a digest over all values in which order does not count.
struct OrderBlind;
impl Comparer for OrderBlind {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let xor = |run| {
            values(run).iter().fold(0_u64, |sum, bits| {
                sum ^ u64::from_str_radix(bits.get(..16).unwrap_or(bits), 16).unwrap_or_default()
            })
        };
        instead(pair, xor(pair.left) == xor(pair.right))
    }
}

#[test]
fn an_order_blind_digest_is_noticed() {
    misses(&OrderBlind, "two leaves exchange their bits");
    misses(&OrderBlind, "two steps exchange a scalar");
}

/// F102: the sum of magnitudes, as an L1 norm is one.
struct Norm;
impl Comparer for Norm {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let norm = |run| {
            values(run)
                .iter()
                .fold(0_u128, |sum, bits| sum + (u128::from_str_radix(bits, 16).unwrap_or_default() >> 16))
        };
        instead(pair, norm(pair.left) == norm(pair.right))
    }
}

#[test]
fn a_norm_is_noticed() {
    misses(&Norm, "two leaves exchange their bits");
}

/// F102: looks at one rank.
struct FirstRankOnly;
impl Comparer for FirstRankOnly {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        instead(pair, records(pair.left) == records(pair.right))
    }
}

#[test]
fn looking_at_the_first_rank_only_is_noticed() {
    misses(&FirstRankOnly, "only the second rank differs");
}

/// F103: looks at every second step, together with the period of the control.
struct Period;
impl Comparer for Period {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let sample = |run| records(run).into_iter().filter(|record| record.step % 2 == 0).map(|record| record.body);
        instead(pair, sample(pair.left).eq(sample(pair.right)))
    }
}

#[test]
fn looking_at_one_step_of_a_period_is_noticed() {
    misses(&Period, "one step off every period differs");
}

/// F103: takes a planted fault for alive because it was activated.
struct ActivatedIsAlive;
impl Comparer for ActivatedIsAlive {
    fn control(
        &self,
        claim: contract::claim::Claim,
        fault: &str,
        activations: u64,
        clean: &Path,
        planted: &Path,
    ) -> Outcome {
        let exact = Exact.control(claim, fault, activations, clean, planted);
        if activations > 0 { Outcome { verdict: Verdict::Pass, ..exact } } else { exact }
    }
}

#[test]
fn a_control_that_changes_nothing_is_noticed() {
    misses(&ActivatedIsAlive, "a planted fault that falls on a plateau");
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
    misses(&AlwaysRed, "equal runs are equal");
}
