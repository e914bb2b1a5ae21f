//! Carries out plans: data, buffers, steps, checkpoints, traces.
//!
//! The engine walks a plan and calls the functions that it names. It computes nothing itself: no float is added here.
//! What must be replaceable, so that a fault can be planted, is a policy object ([`policies`]).
#![forbid(unsafe_code)]

pub mod buffers;
pub mod checkpoint;
pub mod checkpoints;
pub mod command;
pub mod control;
pub mod counters;
pub mod data;
pub mod environment;
pub mod error;
pub mod host;
pub mod kernel_part;
pub mod observe;
pub mod policies;
pub mod program;
pub mod progress;
pub mod reference;
pub mod run;
pub mod session;
pub mod shadow;
pub mod state;
pub mod storage;
pub mod timing;

pub use error::EngineError;
pub use policies::Policies;
