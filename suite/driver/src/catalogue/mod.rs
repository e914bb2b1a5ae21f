//! The catalogue: which trials a recipe has, what they are called, and which of them were asked for.
//!
//! It is built from what the trainer says of a recipe, so the list is the same on every machine; what a machine
//! cannot run stays in the list and is called "not compared". The committed list of a recipe, `suite/mustpass/
//! RECIPE.txt`, must equal it.
//!
//! ```text
//! RECIPE::coverage    RECIPE::canary
//! RECIPE::kernel::ROOM::CLAIM[::ALTERNATIVE]
//! RECIPE::module::MODULE::CLAIM[::ALTERNATIVE]
//! RECIPE::end_to_end::CLAIM[::ALTERNATIVE]
//! ```

mod extent;
mod gaps;
mod mustpass;
mod select;

#[cfg(test)]
mod tests;

pub use extent::Extent;
pub use gaps::gaps;
pub use mustpass::{Difference, MUSTPASS, difference, read_list};
pub use select::{Selection, SelectionError, recipe_of, select};

use contract::claim::{Claim, Level};
use contract::description::{Alternative, Description, PartDescription, Presence};
use contract::request::Part;

/// One trial of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Unique in all catalogues.
    pub name: String,
    pub recipe: String,
    pub scope: Scope,
    /// Why this machine does not compare it, if so.
    pub not_compared: Option<String>,
}

/// What a trial is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The recipe's list of trials and goldens is whole.
    Coverage,
    /// A corrupted comparison is noticed.
    Canary,
    Part {
        part: Part,
        kind: Kind,
    },
}

/// What is tried on a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Repeat,
    Golden,
    Resume(Resume),
    /// The part made another way: claims `neutral`, `backend` and `fused`.
    Alternative(Alternative),
    Reference,
    Census,
}

/// The ways in which a run is broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Killed at every step and phase, one after the other.
    Steps,
    /// Killed before every storage operation of a save.
    Save,
    /// The same while training goes on.
    AsynchronousSave,
    /// Killed at random times without a handshake.
    Random,
    /// Every state of the disk that a power cut permits.
    CrashStates,
    /// Every storage operation fails once.
    StorageErrors,
}

impl Resume {
    pub const ALL: [Self; 6] =
        [Self::Steps, Self::Save, Self::AsynchronousSave, Self::Random, Self::CrashStates, Self::StorageErrors];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Save => "save",
            Self::AsynchronousSave => "asynchronous_save",
            Self::Random => "random",
            Self::CrashStates => "crash_states",
            Self::StorageErrors => "storage_errors",
        }
    }

    /// Of most parts below the whole recipe only the steps are tried: they are saved in the same way.
    fn of(part: &PartDescription) -> &'static [Self] {
        if part.part == Part::EndToEnd || part.saves_as_whole { &Self::ALL } else { &[Self::Steps] }
    }
}

impl Kind {
    #[must_use]
    pub const fn claim(&self) -> Claim {
        match self {
            Self::Repeat => Claim::Repeat,
            Self::Golden => Claim::Golden,
            Self::Resume(_) => Claim::Resume,
            Self::Alternative(alternative) => alternative.claim,
            Self::Reference => Claim::Reference,
            Self::Census => Claim::Census,
        }
    }

    fn suffix(&self) -> Option<&str> {
        match self {
            Self::Resume(resume) => Some(resume.name()),
            Self::Alternative(alternative) => Some(&alternative.name),
            _ => None,
        }
    }
}

impl Entry {
    #[must_use]
    pub const fn claim(&self) -> Option<Claim> {
        match &self.scope {
            Scope::Part { kind, .. } => Some(kind.claim()),
            Scope::Coverage | Scope::Canary => None,
        }
    }

    #[must_use]
    pub const fn level(&self) -> Option<Level> {
        match &self.scope {
            Scope::Part { part, .. } => Some(part.level()),
            Scope::Coverage | Scope::Canary => None,
        }
    }

    fn of_recipe(recipe: &str, scope: Scope, name: &str) -> Self {
        Self { name: format!("{recipe}::{name}"), recipe: recipe.to_owned(), scope, not_compared: None }
    }

    fn of_part(recipe: &str, part: &Part, kind: Kind) -> Self {
        let claim = kind.claim().name();
        let suffix = kind.suffix().map(|suffix| format!("::{suffix}")).unwrap_or_default();
        let not_compared = match &kind {
            Kind::Alternative(Alternative { presence: Presence::Absent, name, .. }) => Some(format!("{name} absent")),
            Kind::Alternative(Alternative { presence: Presence::Plain, name, .. }) => {
                Some(format!("the plain run already is {name}"))
            }
            _ => None,
        };
        Self {
            name: format!("{recipe}::{}::{claim}{suffix}", part.to_string().replace('/', "::")),
            recipe: recipe.to_owned(),
            scope: Scope::Part { part: part.clone(), kind },
            not_compared,
        }
    }
}

/// All trials of a recipe, in the order kernel, module, end to end as described.
#[must_use]
pub fn entries(description: &Description) -> Vec<Entry> {
    let recipe = description.recipe.as_str();
    let mut all =
        vec![Entry::of_recipe(recipe, Scope::Coverage, "coverage"), Entry::of_recipe(recipe, Scope::Canary, "canary")];
    for part in &description.parts {
        all.extend(kinds(part).into_iter().map(|kind| Entry::of_part(recipe, &part.part, kind)));
    }
    all
}

fn kinds(part: &PartDescription) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for claim in &part.claims {
        match claim {
            Claim::Repeat => kinds.push(Kind::Repeat),
            Claim::Golden => kinds.push(Kind::Golden),
            Claim::Reference => kinds.push(Kind::Reference),
            Claim::Census => kinds.push(Kind::Census),
            Claim::Resume => kinds.extend(Resume::of(part).iter().copied().map(Kind::Resume)),
            Claim::Neutral | Claim::Backend | Claim::Fused => {
                let of_claim = part.alternatives.iter().filter(|alternative| alternative.claim == *claim);
                kinds.extend(of_claim.cloned().map(Kind::Alternative));
            }
        }
    }
    kinds
}
