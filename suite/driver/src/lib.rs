//! Starts trainers, kills them, resumes them, has what they leave behind judged, and tells the result.
//!
//! Everything here is real: real processes, real signals, real sockets, real files. A trainer is known only through
//! its adapter file; no bit of a trace is compared here, that is the judge's work.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod control;
pub mod golden;
pub mod harness;
pub mod kill;
pub mod nonce;
pub mod options;
pub mod process;
pub mod report;
pub mod run_directory;
pub mod runner;

#[cfg(test)]
mod testing;
