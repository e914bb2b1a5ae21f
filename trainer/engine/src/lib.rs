#![forbid(unsafe_code)]

pub mod data;
