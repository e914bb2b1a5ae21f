//! How much of what can break a run off is tried on a part.

use contract::claim::Claim;
use contract::description::{Description, PartDescription};

/// How much of what can break the runs of a part off is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every operation of a save, every state of the disk, every step, its end and its phases.
    Whole,
    /// Some of each kind, chosen by the seed: another part of the recipe saves the same way in cheaper steps, and
    /// there the whole is tried.
    Sample,
}

impl Extent {
    /// The extent on `part`, one of the parts of `description`.
    #[must_use]
    pub fn of(description: &Description, part: &PartDescription) -> Self {
        let whole = |other: &PartDescription| other.saves_as_whole && other.claims.contains(&Claim::Resume);
        let elsewhere = description.parts.iter().any(|other| whole(other) && other.part != part.part);
        if elsewhere { Self::Sample } else { Self::Whole }
    }

    /// The first of the pair for the whole, the second for a sample.
    #[must_use]
    pub const fn pick<T: Copy>(self, (whole, sample): (T, T)) -> T {
        match self {
            Self::Whole => whole,
            Self::Sample => sample,
        }
    }
}
