//! Where two runs part that need not be equal: two recipes that say the same in different precision.
//!
//! There is no verdict here. The two runs are walked step by step; records are matched by phase, module and tensor, so
//! that another kernel or another dtype at one place is a difference and not another place.

use crate::divergence::{Alignment, Divergence, Sides, first};
use crate::evidence::{EvidenceError, Run};
use crate::outcome::Counts;
use crate::steps::Steps;
use contract::record::{Body, Record};
use std::path::Path;

#[cfg(test)]
mod tests;

/// What the walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parting {
    /// The first tensor that differs; `None` when all that both sides recorded are equal.
    pub first: Option<Divergence>,
    pub counts: Counts,
}

/// Finds the first tensor in which two complete runs of one part differ. Both must have been recorded at level `op`.
///
/// # Errors
/// When a run is not whole, both are one run, their parts or ranks differ, or a step holds no tensor.
pub fn parting(left: &Path, right: &Path) -> Result<Parting, EvidenceError> {
    let (mut left, mut right) = (Run::open(left)?, Run::open(right)?);
    let refuse = |message: String| Err(EvidenceError::Pair(message));
    if left.file.nonce == right.file.nonce {
        return refuse(format!("both sides are the one run with nonce `{}`", left.file.nonce));
    }
    if left.file.part != right.file.part {
        return refuse(format!("the parts differ: `{}` and `{}`", left.file.part, right.file.part));
    }
    if left.ranks.len() != right.ranks.len() {
        return refuse(format!("{} ranks and {} ranks", left.ranks.len(), right.ranks.len()));
    }
    let mut parting = Parting::default();
    let ranks = left.ranks.len() as u32;
    parting.counts.ranks = u64::from(ranks);
    let (mut a, mut b) = (Steps::new(&mut left, false), Steps::new(&mut right, false));
    while let (Some(x), Some(y)) = (a.next_step()?, b.next_step()?) {
        let tensors = |records: &[(u32, Record)]| {
            records.iter().filter(|(_, record)| matches!(record.body, Body::Tensor(_))).count() as u64
        };
        if !x.trained() && !y.trained() {
            continue;
        }
        parting.counts.steps += 1;
        parting.counts.items += tensors(&x.records);
        if tensors(&x.records) == 0 || tensors(&y.records) == 0 {
            return refuse(format!("step {} holds no tensor; record both runs with --observe op", x.step));
        }
        for rank in 0..ranks {
            let own = |records: &[(u32, Record)]| -> Vec<Record> {
                records.iter().filter(|(owner, _)| *owner == rank).map(|(_, record)| record.clone()).collect()
            };
            let (l, r) = (own(&x.records), own(&y.records));
            let (l, r): (Vec<&Record>, Vec<&Record>) = (l.iter().collect(), r.iter().collect());
            parting.first = first(Sides { left: &l, right: &r, rank }, Alignment::ByPlace);
            if parting.first.is_some() {
                return Ok(parting);
            }
        }
    }
    Ok(parting)
}
