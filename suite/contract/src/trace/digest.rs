//! Digests that name their algorithm, so that a trainer may use the one that its language has.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// `blake3:` and 64 lowercase hex digits.
pub fn blake3(bytes: &[u8]) -> String {
    format!("blake3:{}", ::blake3::hash(bytes).to_hex())
}

/// Whether `digest` is that of `bytes`.
///
/// # Errors
/// When the algorithm is not known.
pub fn verify(bytes: &[u8], digest: &str) -> Result<bool, String> {
    match digest.split_once(':') {
        Some(("blake3", _)) => Ok(blake3(bytes) == digest),
        Some(("sha256", hex)) => Ok(sha256(bytes) == hex),
        _ => Err(format!("`{digest}` is no digest; expected `blake3:` or `sha256:` and 64 hex digits")),
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string can always be written");
        text
    })
}
