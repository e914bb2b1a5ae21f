//! Starts trainers, kills them, resumes them and collects what they leave behind.
//!
//! Everything here is real: real processes, real signals, real sockets, real files. A trainer is known only through
//! its adapter file; no bit of a trace is compared here, that is the judge's work.
#![forbid(unsafe_code)]

pub mod control;
pub mod kill;
pub mod nonce;
pub mod process;
pub mod run_directory;
pub mod runner;
