//! The driver's side of the control socket: hears where a run is, lets it go on, or kills it exactly there.
//!
//! A run may have several connections (ranks, the thread of an asynchronous save). Each of them waits for itself;
//! announcements are collected in the order in which they arrive. What comes without `wait` is only noted.

mod dialogue;
mod server;

#[cfg(test)]
mod tests;

pub use dialogue::{Conduct, Offer, Talk, talk};
pub use server::{Event, Server};

/// What the driver does about an announcement that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Let it go on.
    Go,
    /// Kill the whole tree while it waits.
    Kill,
    /// Let it wait; the announcement is offered again after the next event, or when nothing happens for a while.
    Hold,
}
