//! Starts trainers, kills them, resumes them, has what they leave behind judged, and tells the result.
//!
//! Everything here is real: real processes, real signals, real sockets, real files. A trainer is known only through
//! its adapter file; no bit of a trace is compared here, that is the judge's work.
//!
//! ```no_run
//! use contract::{adapter::Adapter, request::Part};
//! use driver::kill::{Listing, walk};
//! use driver::run_directory::Invocation;
//! use driver::runner::{RunSpec, Runner};
//! use std::{path::Path, time::Duration};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let adapter = Adapter::read(Path::new("suite/adapter.yaml"), Path::new("target/debug/lockstep"))?;
//! let runner = Runner::new(adapter, Duration::from_secs(300));
//! let invocation = Invocation::open(Path::new("target/lockstep"))?;
//! let trial = invocation.trial("dense-ieee/resume")?;
//!
//! let plain = RunSpec::new("dense-ieee", Part::EndToEnd, &trial.run("plain"));
//! let uninterrupted =
//!     invocation.shared()?.get_or_make(&runner.key(&plain), |folder| runner.run(&plain.at(folder)))?;
//!
//! let listing = Listing::make(&runner, &plain, &trial.directory)?;
//! for chain in listing.chains(2) {
//!     let walked = walk(&runner, &plain, &chain, &trial.run(&chain.name));
//!     let outcome = walked.judge(&chain.name, &uninterrupted.trace());
//!     if !outcome.passed() {
//!         trial.failed()?;
//!         for suspect in walked.suspects(&outcome) {
//!             let alone = chain.alone(&suspect);
//!             walk(&runner, &plain, &alone, &trial.run("alone")).judge(&alone.name, &uninterrupted.trace());
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod control;
pub mod golden;
pub mod harness;
pub mod kill;
pub mod nonce;
pub mod options;
pub mod precision;
pub mod process;
pub mod report;
pub mod run_directory;
pub mod runner;

#[cfg(test)]
mod testing;
