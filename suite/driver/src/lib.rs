#![forbid(unsafe_code)]
pub mod nonce;
pub mod process;
