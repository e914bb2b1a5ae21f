//! Process trees: started so that nothing leaks into them, killed so that nothing survives.
//!
//! - One long-lived thread starts every child, because a parent-death signal fires when the *thread* that started the
//!   child ends.
//! - Each child has a process group of its own and a clean environment.
//! - The driver is a child subreaper: descendants that lose their parent become children of the driver, so a double
//!   fork or a new session hides nothing. A tree is killed by walking descendants, not by its group.
//! - SIGINT, SIGTERM and SIGHUP kill every tree before they end the driver. For a SIGKILL of the driver there are two
//!   nets: trainers that call [`die_with_parent`], and a small watchdog process that kills whatever carries the
//!   driver's mark.
//!
//! What it does not do: it cannot find an orphan that has also wiped its environment and left every process group of
//! the run. Outside Linux there is no subreaper and no parent-death signal; there a tree is its descendants and its
//! process group.

mod child;
mod environment;
mod parent;
mod spawner;
mod table;
mod tree;

#[cfg(test)]
mod tests;

pub use child::{Child, Ending, Exit, Launch, tail};
pub use environment::{PARENT_VARIABLE, PASSED, RUN_VARIABLE};
pub use parent::die_with_parent;
