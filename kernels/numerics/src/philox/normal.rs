//! Normal values by Box–Muller, one value for two words.
//!
//! u1 = ((r0 ≫ 8) + 1) · 2^-24 lies in (0, 1], u2 = (r1 ≫ 8) · 2^-24 in [0, 1);
//! both are exact. Then z = RN(√RN(−2 · log u1) · cos RN(6.2831855 · u2)), with
//! √ rounded to nearest and log and cos correctly rounded. The sine half is not
//! used, so element i depends on two words and on nothing else.

use super::Stream;
use crate::math::{cos, log};

/// Words drawn together; no bit depends on it.
const WORDS: usize = 256;

/// fp32 nearest to 2π.
const TWO_PI: f32 = 6.283_185_5;

/// A standard normal value from two random words.
#[inline]
#[must_use]
pub fn normal(words: [u32; 2]) -> f32 {
    const UNIT: f32 = 1.0 / (1_u32 << 24) as f32;
    let radius = ((words[0] >> 8) + 1) as f32 * UNIT;
    let angle = (words[1] >> 8) as f32 * UNIT;
    (-2.0 * log(radius)).sqrt() * cos(TWO_PI * angle)
}

#[inline(always)]
pub(super) fn fill(stream: &Stream, start: u64, out: &mut [f32], scale: f32) {
    let mut words = [0; WORDS];
    let mut index = 2 * start;
    for values in out.chunks_mut(WORDS / 2) {
        let drawn = &mut words[..2 * values.len()];
        stream.fill_words(index, drawn);
        for (value, pair) in values.iter_mut().zip(drawn.as_chunks::<2>().0) {
            *value = scale * normal(*pair);
        }
        index += WORDS as u64;
    }
}
