#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod control;
pub mod data;
pub mod storage;
