//! Text form: 32 lowercase hexadecimal digits, lane 0 first.

use crate::Fingerprint;
use crate::field::P;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Why a text is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a fingerprint of 32 lowercase hexadecimal digits, two lanes below 2^61 - 1; found {found:?}")]
pub struct ParseFingerprintError {
    found: String,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParseFingerprintError { found: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<Fingerprint> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 32 || !text.bytes().all(digit) {
        return None;
    }
    let lane = |digits| u64::from_str_radix(digits, 16).ok().filter(|&value| value < P);
    Some(Fingerprint(lane(&text[..16])?, lane(&text[16..])?))
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
