//! Numbers that are drawn once: run nonces, invocation ids. And numbers that are drawn from a seed: delays, choices.

use std::fs::File;
use std::io::Read;

/// 32 lowercase hex digits from the operating system's generator.
///
/// # Panics
/// When the operating system has no generator: nothing can be proven without one.
#[must_use]
pub fn draw() -> String {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .expect("the operating system gives random bytes");
    format!("{:032x}", u128::from_le_bytes(bytes))
}

/// A stateless seeded draw: the SplitMix64 output for position `index` of the stream `seed`.
#[must_use]
pub const fn seeded(seed: u64, index: u64) -> u64 {
    let x = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// `count` different indices below `size` in ascending order, chosen by `seed`; all of them when there are no more.
#[must_use]
pub fn choose(seed: u64, size: usize, count: usize) -> Vec<usize> {
    let mut keyed: Vec<_> = (0..size).map(|index| (seeded(seed, index as u64), index)).collect();
    keyed.sort_unstable();
    let mut chosen: Vec<_> = keyed.into_iter().take(count).map(|(_, index)| index).collect();
    chosen.sort_unstable();
    chosen
}
