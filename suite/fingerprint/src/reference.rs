//! The definition, byte by byte, in the fewest words. Slow on purpose: the fast
//! path is tested against it.

use crate::Fingerprint;
use crate::field::{P, WORD_DOMAIN, coefficient};

/// Σ over bytes: a byte at place i of word j weighs 256^i · K(⌊j/256⌋) · κ(j mod 256).
#[must_use]
pub fn of_shard(byte_offset: u64, bytes: &[u8]) -> Fingerprint {
    let lane = |l: u64| {
        let mut sum = 0_u128;
        for (position, &byte) in (byte_offset..).zip(bytes) {
            let word = position / 4;
            let value = u128::from(byte) << (8 * (position % 4));
            let block = u128::from(coefficient(2 * (word / 256) + l));
            let inner = u128::from(coefficient(WORD_DOMAIN + 2 * (word % 256) + l));
            let p = u128::from(P);
            sum = (sum + block * inner % p * value) % p;
        }
        sum as u64
    };
    Fingerprint(lane(0), lane(1))
}
