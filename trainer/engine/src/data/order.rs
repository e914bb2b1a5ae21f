//! The order of the documents in an epoch: a keyed permutation without state.
//!
//! A balanced Feistel network over the next even power of two, walked until it lands inside
//! the range (cycle walking), gives a permutation of `0..count`. Each round draws from Philox
//! with the seed as its key, so position `i` of epoch `e` is a pure function of
//! (seed, epoch, count, i) and costs constant memory. Integers only.

use numerics::philox::philox4x32_10;

/// Fourth counter word of every Philox draw made here: the stream "document order".
pub const DOCUMENT_ORDER_STREAM: u32 = 0x6f72_6472;

/// Eight rounds: four already make a strong network, and the cost is nothing beside encoding.
const ROUNDS: u32 = 8;

/// The permutation of `count` documents in one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochOrder {
    key: [u32; 2],
    epoch: u32,
    count: u64,
    half_bits: u32,
}

impl EpochOrder {
    /// The order of `count` documents (at most 2^62) in `epoch` under `seed`.
    #[must_use]
    pub fn new(seed: u64, epoch: u32, count: usize) -> Self {
        let count = count as u64;
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { key: [low(seed), low(seed >> 32)], epoch, count, half_bits: bits.div_ceil(2).max(1) }
    }

    /// The document at `position` of the epoch. `position` must be below `count`.
    #[must_use]
    pub fn document(&self, position: usize) -> usize {
        let position = position as u64;
        assert!(position < self.count, "position {position} of {} documents", self.count);
        let mut value = self.round_trip(position);
        // The network is a bijection of a set that holds 0..count, so the walk comes back.
        while value >= self.count {
            value = self.round_trip(value);
        }
        usize::try_from(value).expect("below the count, which came from a usize")
    }

    fn round_trip(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for round in 0..ROUNDS {
            let counter = [low(right), round, self.epoch, DOCUMENT_ORDER_STREAM];
            let draw = philox4x32_10(counter, self.key)[0];
            (left, right) = (right, left ^ (u64::from(draw) & mask));
        }
        (left << self.half_bits) | right
    }
}

/// The low 32 bits.
fn low(value: u64) -> u32 {
    u32::try_from(value & u64::from(u32::MAX)).expect("masked to 32 bits")
}
