//! `fp61x2`: a fingerprint of a tensor's bits that adds up over shards.
//!
//! The tensor's logical row-major elements are packed little-endian into 32-bit
//! words w_j, j counted over the whole unsharded tensor, the last word padded
//! with zero bytes. With p = 2^61 − 1 and S the SplitMix64 output function, lane
//! l in {0, 1} is
//!
//! H_l = Σ_j K_l(⌊j/256⌋) · κ_l(j mod 256) · w_j mod p
//!
//! - K_l(b) = 1 + ((S(2b + l) ≫ 3) mod (p − 1))
//! - κ_l(t) = 1 + ((S(2^63 + 2t + l) ≫ 3) mod (p − 1))
//! - the description of a tensor, its dtype and global shape, is one more term
//!   with its own coefficients: see [`Fingerprint::with_meta`]
//!
//! The sum is linear in the words, so shards may be cut anywhere, hashed
//! anywhere and added in any order. Two different tensors that were not made to
//! collide have equal fingerprints with probability about 2^-120.
//!
//! It is not a cryptographic hash: who knows the constants can build a
//! collision. It does not include names, so contents compare across tensors.
#![forbid(unsafe_code)]

mod bulk;
mod field;
mod meta;
pub mod reference;
mod text;

pub use text::ParseFingerprintError;

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Both lanes of a fingerprint, each reduced below 2^61 − 1.
///
/// Text form, also in serde: 32 lowercase hexadecimal digits, lane 0 first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64, pub u64);

impl Fingerprint {
    /// The fingerprint of no words, and of zeros.
    pub const ZERO: Self = Self(0, 0);

    /// Fingerprint of a whole tensor's raw little-endian bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_shard(0, bytes)
    }

    /// The part of a tensor's fingerprint that belongs to `bytes`, which lie
    /// `byte_offset` bytes after the tensor's first.
    ///
    /// Any offset is allowed. The parts of a partition add up to
    /// [`of_bytes`](Self::of_bytes) of the whole.
    #[must_use]
    pub fn of_shard(byte_offset: u64, bytes: &[u8]) -> Self {
        bulk::shard(byte_offset, bytes)
    }

    /// Adds the term of a tensor's dtype and global shape. The judge does this
    /// once for each tensor, after the shards were added.
    ///
    /// Without it, tensors of equal bytes compare equal whatever their shape,
    /// and zeros at the end do not show.
    #[must_use]
    pub fn with_meta(self, dtype: &str, shape: &[u64]) -> Self {
        self + meta::term(dtype, shape)
    }
}

/// Lane by lane modulo 2^61 − 1.
impl Add for Fingerprint {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(field::add(self.0, other.0), field::add(self.1, other.1))
    }
}

impl AddAssign for Fingerprint {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Fingerprint {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests;
