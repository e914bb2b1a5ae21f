//! The judge: reads what runs left behind and says whether the bits are those that were promised.
//!
//! | module | question |
//! | --- | --- |
//! | [`compare`] | are two runs equal? |
//! | [`divergence`], [`elements`] | where do they first differ, and in which elements? |
//! | [`audit`] | is a run evidence at all: finite, not constant, not empty? |
//! | [`overwrite`] | did a buffer change between its producer and its consumer inside one run? |
//! | [`golden`], [`ledger`] | are the bits those that were committed, and was the commitment made openly? |
//! | [`resume`], [`census`] | does a killed run go on as if nothing had happened, and is all of its state saved? |
//! | [`counters`], [`control`] | did a pair, or a planted fault, really differ? |
//! | [`check`] | is the result within the bound of an independent reference? |
//! | [`report`] | how is a failure told in twelve lines? |
//! | [`battery`] | does a comparer notice everything that it must notice? |
//!
//! It compares bits and nothing else: there is no float in this crate, no tolerance, no clock and no process. It
//! fails closed: what is empty, short, constant, not finite or compared with itself is INVALID, never equal. It does
//! not check that files of the operating system are what a run wrote; the driver starts the runs and names them.
#![forbid(unsafe_code)]

pub mod audit;
pub mod battery;
pub mod census;
pub mod check;
pub mod compare;
pub mod control;
pub mod counters;
pub mod divergence;
pub mod elements;
pub mod evidence;
pub mod golden;
pub mod ledger;
pub mod outcome;
pub mod overwrite;
pub mod report;
pub mod resume;
mod steps;

pub use compare::{Comparer, Exact, Mode, Pair};
pub use divergence::Divergence;
pub use evidence::EvidenceError;
pub use outcome::{Counts, Outcome};
