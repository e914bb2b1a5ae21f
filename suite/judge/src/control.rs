//! Was a planted fault alive? A fault that changes nothing proves nothing, whether it is caught or not.

use crate::compare::{Mode, walk};
use crate::evidence::EvidenceError;
use crate::outcome::Outcome;
use contract::claim::Claim;
use contract::verdict::Verdict;
use std::path::Path;

/// PASS when the fault was activated and the run with it has other state or scalars than the clean run, at the step
/// that the divergence names. INVALID when it is inert, as a control is that falls together with a period of what it
/// disturbs.
#[must_use]
pub fn alive(claim: Claim, fault: &str, activations: u64, clean: &Path, planted: &Path) -> Outcome {
    if activations == 0 {
        return Outcome::new(
            Verdict::Invalid,
            claim,
            fault,
            format!("fault `{fault}` is inert: it was never activated"),
        );
    }
    // The planted run comes from another executable, so the two are no pair of claim `repeat`.
    match walk(Claim::Neutral, Mode::State, clean, planted) {
        Ok(finding) => match finding.divergence {
            Some(divergence) => {
                let message = format!("fault `{fault}` was activated {activations} times and changed the run");
                Outcome::new(Verdict::Pass, claim, fault, message).at(divergence).counted(finding.counts)
            }
            None => {
                let message =
                    format!("fault `{fault}` is inert: {activations} activations changed no state and no scalar");
                Outcome::new(Verdict::Invalid, claim, fault, message).counted(finding.counts)
            }
        },
        Err(EvidenceError::Pair(message)) => Outcome::new(Verdict::Invalid, claim, fault, message),
        Err(error) => Outcome::invalid(claim, fault, &error),
    }
}
