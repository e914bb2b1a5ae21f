//! Joins what the verdict runs showed with what a second, closely observed pair of runs showed.

use super::Divergence;

/// Cause when a difference vanishes under observation.
pub const HIDDEN: &str = "hidden by observation: ordering suspected";

/// The most telling divergence. `first` is that of the verdict runs, `rerun` that of the same two runs made again
/// with more recorded; `None` means that those agree. The verdict is never changed by a rerun.
#[must_use]
pub fn refine(first: &Divergence, rerun: Option<Divergence>) -> Divergence {
    match rerun {
        None => Divergence { cause: HIDDEN.to_owned(), ..first.clone() },
        Some(rerun) if rerun.step == first.step => rerun,
        Some(rerun) => {
            let cause = format!("{}; the unobserved runs differed first at step {}", rerun.cause, first.step);
            Divergence { cause, ..rerun }
        }
    }
}
