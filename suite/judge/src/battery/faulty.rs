//! Comparers with faults that harnesses shipped elsewhere. Each misses at least one case of the battery: that is how
//! the battery is known to notice them.

use crate::compare::{Comparer, Exact, Pair};
use crate::golden::Golden;
use crate::outcome::Outcome;
use contract::claim::Claim;
use contract::record::{Body, Record};
use contract::trace::{Completeness, TraceReader};
use contract::verdict::Verdict;
use std::path::Path;

/// A comparer with a fault.
pub struct Faulty {
    /// Id of the fault in the public list.
    pub id: &'static str,
    pub title: &'static str,
    pub comparer: &'static dyn Comparer,
    /// Cases of the battery that it must get wrong.
    pub misses: &'static [&'static str],
}

/// All of them.
#[must_use]
pub fn faulty() -> Vec<Faulty> {
    let faulty = |id, title, comparer, misses| Faulty { id, title, comparer, misses };
    vec![
        faulty("F097", "an inverted threshold", &InvertedThreshold, &["every step but one differs"]),
        faulty("F099", "a retry until green", &RetryUntilGreen, &["a difference that a rerun does not show"]),
        faulty("F099", "rounding the last bits away", &Rounding, &["the lowest bit of one loss"]),
        faulty(
            "F100",
            "an empty log that is accepted",
            &EmptyAccepted,
            &["logs with nothing but an end", "logs without a byte", "logs that do not exist", "logs without an end"],
        ),
        faulty(
            "F101",
            "another environment that is skipped",
            &OtherEnvironmentSkipped,
            &["bits and environment differ", "opaque bits moved with the environment"],
        ),
        faulty(
            "F102",
            "a digest without order",
            &OrderBlind,
            &["two leaves exchange their bits", "two steps exchange a scalar"],
        ),
        faulty("F102", "a norm as digest", &Norm, &["two leaves exchange their bits"]),
        faulty("F102", "only the first rank compared", &FirstRankOnly, &["only the second rank differs"]),
        faulty("F103", "one step of a period compared", &Period, &["one step off every period differs"]),
        faulty(
            "F103",
            "a control that changes nothing is taken for alive",
            &ActivatedIsAlive,
            &["a planted fault that falls on a plateau"],
        ),
    ]
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

/// F097: passes when the share of steps that match reaches what was meant as the allowed share of misses.
struct InvertedThreshold;
impl Comparer for InvertedThreshold {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let (left, right) = (values(pair.left), values(pair.right));
        let matching = left.iter().zip(&right).filter(|(a, b)| a == b).count();
        instead(pair, matching * 20 >= left.len())
    }
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

/// F099: compares after rounding the last bits away.
struct Rounding;
impl Comparer for Rounding {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let round = |run| values(run).into_iter().map(|bits| bits[..bits.len() - 2].to_owned()).collect::<Vec<_>>();
        instead(pair, round(pair.left) == round(pair.right))
    }
}

/// F100: compares whatever it can read, even when that is nothing.
struct EmptyAccepted;
impl Comparer for EmptyAccepted {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let (left, right) = (values(pair.left), values(pair.right));
        if left == right { Outcome::new(Verdict::Pass, pair.claim, pair.trial, "equal") } else { Exact.pair(pair) }
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

/// F102: looks at one rank.
struct FirstRankOnly;
impl Comparer for FirstRankOnly {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        instead(pair, records(pair.left) == records(pair.right))
    }
}

/// F103: looks at every second step, together with the period of the control.
struct Period;
impl Comparer for Period {
    fn pair(&self, pair: &Pair<'_>) -> Outcome {
        let sample = |run| records(run).into_iter().filter(|record| record.step % 2 == 0).map(|record| record.body);
        instead(pair, sample(pair.left).eq(sample(pair.right)))
    }
}

/// F103: takes a planted fault for alive because it was activated.
struct ActivatedIsAlive;
impl Comparer for ActivatedIsAlive {
    fn control(&self, claim: Claim, fault: &str, activations: u64, clean: &Path, planted: &Path) -> Outcome {
        let exact = Exact.control(claim, fault, activations, clean, planted);
        if activations > 0 { Outcome { verdict: Verdict::Pass, ..exact } } else { exact }
    }
}
