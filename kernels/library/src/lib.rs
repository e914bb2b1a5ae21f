//! The rooms: one folder for each operation, with its contract, its variants and its cases.
//!
//! A room states in prose which bits it computes, gives an obvious single-threaded reference that defines them, and
//! faster variants that must give the same bits. Nothing here reads a clock, the environment or a file.
#![forbid(unsafe_code)]

pub mod case;
pub mod check;
pub mod context;
pub mod eager;
pub mod registry;
pub mod room;
pub mod tensor;

pub mod fused;
pub mod ops;
pub mod optim;

#[cfg(test)]
mod testing;
