//! What the suite and a trainer agree on: claims, verdicts, execution knobs, the request that starts a run, the trace
//! that a run leaves behind, the control socket, the adapter file and the golden file.
//!
//! Everything here is data with a published schema. This crate starts no process, reads no clock and adds no number,
//! and it knows nothing of any model: a recipe's `semantics` is opaque to it.
#![forbid(unsafe_code)]

pub mod adapter;
pub mod canonical;
pub mod claim;
pub mod control;
pub mod description;
pub mod execution;
pub mod manifest;
pub mod pointer;
pub mod recipe;
pub mod record;
pub mod request;
pub mod run;
pub mod shadow;
pub mod storage;
pub mod trace;
pub mod verdict;

/// Version of every file format of this crate. A reader refuses a version that it does not know.
pub const SCHEMA: u32 = 1;
