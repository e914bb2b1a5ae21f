//! The determinism suite of the reference trainer: `cargo test --test determinism -- --recipe NAME`.

#![forbid(unsafe_code)]

use driver::harness::{AdapterSource, harness_main};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

const ADAPTER: &str = include_str!("../../adapters/lockstep.yaml");

fn main() -> ExitCode {
    harness_main(AdapterSource::BuiltIn(ADAPTER, BTreeMap::new()), Path::new(env!("CARGO_BIN_EXE_lockstep")))
}
