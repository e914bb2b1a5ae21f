//! Development commands of the workspace, run as `cargo xtask …`.
//!
//! - [`tidy`]: rules of the tree that no compiler keeps.
//! - [`gate`]: the sequences of commands that decide whether a change may be merged.
//! - [`bless`]: the only way in which golden files change.
//! - [`new`]: skeletons of rooms, recipes and claims.
//! - [`bench`]: the benchmark programs, one after the other.
//!
//! It depends on no other crate of the workspace, so it works while they do not compile.
#![forbid(unsafe_code)]

pub mod bench;
pub mod bless;
pub mod cli;
pub mod gate;
pub mod new;
pub mod tidy;

pub use cli::cli_main;
