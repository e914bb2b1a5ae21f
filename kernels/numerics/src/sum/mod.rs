//! The named orders of addition.
//!
//! A sum of floats has one meaning only when its order is written down. These
//! are the only orders that kernels use:
//!
//! | name | order |
//! | --- | --- |
//! | [`chain`] | acc ← fma(a_k, b_k, acc), k ascending, then RN(acc + 0) |
//! | [`lanes32`] | lane l adds l, l + 32, … ascending; lanes by butterfly 16, 8, 4, 2, 1 |
//! | [`blocked`] | blocks of 1,024 by `lanes32`, blocks by `tree` |
//! | [`tree`] | pairs (0,1)(2,3)…, level by level, an odd tail carried up |
//! | [`slots`] | ascending, from +0 |
//!
//! Accumulators start at +0, and an empty sum is +0. `tree` has no accumulator:
//! one leaf is its own sum, so a lone −0 stays −0. Results carry a canonical
//! NaN; [`chain_from`] does not, because it is a partial value.
//!
//! It does not pick block sizes: they belong to the contract that uses a sum.

mod lanes;
mod tree;

pub use lanes::{lanes32, lanes32_by, lanes32_products, lanes32_squares};
pub use tree::{Tree, tree, tree_of, tree_slices};

use crate::format::canonical;
use std::ops::Range;

/// Block length of [`blocked`], in elements.
pub const BLOCK: usize = 1024;

/// Σ a_k·b_k as one fma chain: k ascending from +0, then RN(acc + 0).
///
/// The last step turns −0 into +0, so appending zero pairs changes no bit.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
#[must_use]
pub fn chain(a: &[f32], b: &[f32]) -> f32 {
    canonical(chain_from(0.0, a, b) + 0.0)
}

/// Continues an fma chain from `acc`; the closing RN(acc + 0) is the caller's.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
#[must_use]
pub fn chain_from(acc: f32, a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "operand lengths of a chain");
    a.iter().zip(b).fold(acc, |acc, (&x, &y)| x.mul_add(y, acc))
}

/// Sum by blocks of 1,024 ([`BLOCK`]) with `lanes32`, blocks by `tree`.
#[inline(always)]
#[must_use]
pub fn blocked(values: &[f32]) -> f32 {
    let mut sum = Tree::new();
    for block in values.chunks(BLOCK) {
        sum.push(lanes32(block));
    }
    sum.total()
}

/// Sum of squares by blocks of 1,024 with `lanes32_squares`, blocks by `tree`.
#[inline(always)]
#[must_use]
pub fn blocked_squares(values: &[f32]) -> f32 {
    let mut sum = Tree::new();
    for block in values.chunks(BLOCK) {
        sum.push(lanes32_squares(block));
    }
    sum.total()
}

/// Splits `0..n` into blocks of `block` elements, the last one short, asks
/// `block_sum` for each in ascending order, and adds the answers by `tree`.
///
/// # Panics
/// When `block` is zero.
#[inline(always)]
#[must_use]
pub fn blocked_with(block: usize, n: usize, mut block_sum: impl FnMut(Range<usize>) -> f32) -> f32 {
    assert!(block > 0, "a block holds at least one element");
    let mut sum = Tree::new();
    for start in (0..n).step_by(block) {
        sum.push(block_sum(start..n.min(start + block)));
    }
    sum.total()
}

/// Adds slots in ascending order from +0.
#[inline(always)]
#[must_use]
pub fn slots(values: &[f32]) -> f32 {
    canonical(values.iter().fold(0.0, |acc, &value| acc + value))
}

/// [`slots`] for each element of equally long slices: `out[i]` is the sum of
/// `parts[0][i]`, `parts[1][i]`, … ascending from +0.
///
/// # Panics
/// When a part and `out` differ in length.
#[inline(always)]
pub fn slots_slices(parts: &[&[f32]], out: &mut [f32]) {
    out.fill(0.0);
    for part in parts {
        assert_eq!(part.len(), out.len(), "length of a slot");
        for (acc, &value) in out.iter_mut().zip(*part) {
            *acc += value;
        }
    }
    crate::format::canonicalise(out);
}

#[cfg(test)]
mod tests;
