//! Faults that real training systems had, planted in ours, and the gates that show that the suite notices them.
//!
//! A fault is a function from the standard policies to others: a mutant kernel variant, a rewrite of the plan, or a
//! policy of the engine. Nothing in the engine asks whether a fault is planted. Only `lockstep-mutant` links this crate.
#![forbid(unsafe_code)]

mod catalogue;
mod cursor;
pub mod gate;
mod plant;
mod saves;
mod state;
mod steps;

#[cfg(test)]
mod tests;

pub use catalogue::catalogue;

use contract::recipe::nearest;
use contract::verdict::Verdict;
use engine::Policies;
use std::process::ExitCode;

/// Names the fault that a process has.
pub const VARIABLE: &str = "LOCKSTEP_FAULT";

/// Counter of every run of the mutant trainer: how often its fault was active.
pub const ACTIVATIONS: &str = "fault_activations";

/// Exit code of a fault that nobody knows: that of a command line that cannot be understood.
const USAGE: u8 = 2;

/// One planted fault.
#[derive(Clone, Copy)]
pub struct Fault {
    /// `F…` for a fault of the public list, `L…` for one of our own.
    pub id: &'static str,
    pub title: &'static str,
    /// Where the like was seen in public.
    pub seen_in: &'static str,
    /// The trial of recipe `dense-ieee` that must turn red, without the recipe's name.
    pub trial: &'static str,
    /// The verdict that it must give.
    pub verdict: Verdict,
    /// The op, tensor, leaf, file or counter that its report must name.
    pub place: &'static str,
    pub policies: fn(Policies) -> Policies,
}

impl Fault {
    /// One line of the committed list.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {} {} {}", self.id, self.trial, self.verdict, self.place)
    }
}

/// The standard policies of the mutant trainer: those of `lockstep`, with more to choose from and a count.
#[must_use]
pub fn standard() -> Policies {
    let policies = Policies::standard();
    Policies {
        registry: mutants::register(policies.registry.clone()),
        count: |counters| counters.set(ACTIVATIONS, mutants::activations()),
        ..policies
    }
}

/// The policies of a fault.
///
/// # Errors
/// When there is no such fault; the message names the nearest.
pub fn planted(id: &str) -> Result<Policies, String> {
    let all = catalogue();
    match all.iter().find(|fault| fault.id == id) {
        Some(fault) => {
            let trainer_environment = [(VARIABLE.to_owned(), id.to_owned())].into();
            Ok(Policies { trainer_environment, ..(fault.policies)(standard()) })
        }
        None => {
            let nearest = nearest(id, all.iter().map(|fault| fault.id));
            let hint = nearest.map(|nearest| format!(" Did you mean `{nearest}`?")).unwrap_or_default();
            Err(format!("no fault is called `{id}`.{hint} suite/mustpass/faults.txt lists them."))
        }
    }
}

/// Runs a command with the fault that the environment names, or with none.
#[expect(
    clippy::disallowed_methods,
    reason = "the mutant is started by an adapter, which can only set its environment"
)]
pub fn with_planted(run: impl FnOnce(&Policies) -> ExitCode) -> ExitCode {
    let Ok(id) = std::env::var(VARIABLE) else { return run(&standard()) };
    match planted(&id) {
        Ok(policies) => {
            eprintln!("{}: {id}", mutants::MARKER);
            run(&policies)
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(USAGE)
        }
    }
}
