//! Claims (what is promised) and levels (how large a piece is tried).

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One promise of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Claim {
    /// Two fresh processes give the same bytes, the second one perturbed.
    Repeat,
    /// The bits equal the committed golden.
    Golden,
    /// Killed anywhere and resumed equals never killed.
    Resume,
    /// What should not matter does not.
    Neutral,
    /// One contract, many variants, one set of bits.
    Backend,
    /// A fusion equals the composition that it replaces.
    Fused,
    /// Right, not only repeatable: within the bound of an independent reference.
    Reference,
    /// The checkpoint holds every piece of live state and nothing else.
    Census,
}

impl Claim {
    pub const ALL: [Self; 8] = [
        Self::Repeat,
        Self::Golden,
        Self::Resume,
        Self::Neutral,
        Self::Backend,
        Self::Fused,
        Self::Reference,
        Self::Census,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Golden => "golden",
            Self::Resume => "resume",
            Self::Neutral => "neutral",
            Self::Backend => "backend",
            Self::Fused => "fused",
            Self::Reference => "reference",
            Self::Census => "census",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How large the piece under trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Level {
    /// One room.
    Kernel,
    /// A sub-plan cut out of the recipe's own plan.
    Module,
    /// The recipe.
    EndToEnd,
}

impl Level {
    pub const ALL: [Self; 3] = [Self::Kernel, Self::Module, Self::EndToEnd];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Module => "module",
            Self::EndToEnd => "end_to_end",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
