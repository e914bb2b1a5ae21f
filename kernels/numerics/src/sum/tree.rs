//! `tree`: neighbours are added pair by pair, level by level; an odd tail is
//! carried up unchanged.
//!
//! For n leaves the root's left child holds the largest power of two below n.
//! All three forms below use that fact and give the same bits.

use crate::format::canonical;

/// Sums `values` in place; the slice is left holding partial sums.
#[inline(always)]
#[must_use]
pub fn tree(values: &mut [f32]) -> f32 {
    let mut n = values.len();
    if n == 0 {
        return 0.0;
    }
    while n > 1 {
        for pair in 0..n / 2 {
            values[pair] = values[2 * pair] + values[2 * pair + 1];
        }
        if n % 2 == 1 {
            values[n / 2] = values[n - 1];
        }
        n = n.div_ceil(2);
    }
    canonical(values[0])
}

/// Sums the items of an iterator without storing them all.
#[inline(always)]
#[must_use]
pub fn tree_of(values: impl IntoIterator<Item = f32>) -> f32 {
    // pending[level] is a finished subtree of 2^level leaves where bit `level`
    // of the count is set: a binary counter.
    let mut pending = [0.0; usize::BITS as usize];
    let mut count = 0_usize;
    for value in values {
        let full = count.trailing_ones() as usize;
        let sum = pending[..full].iter().fold(value, |right, left| left + right);
        pending[full] = sum;
        count += 1;
    }
    if count == 0 {
        return 0.0;
    }
    let lowest = count.trailing_zeros() as usize;
    let mut sum = pending[lowest];
    for level in lowest + 1..usize::BITS as usize {
        if count >> level & 1 == 1 {
            sum += pending[level];
        }
    }
    canonical(sum)
}

/// Elements handled together by [`tree_slices`]; no bit depends on it.
const WIDTH: usize = 64;

/// [`tree`] for each element of equally long slices: `out[i]` is the tree of
/// `parts[0][i]`, `parts[1][i]`, …; without parts it is +0.
///
/// # Panics
/// When a part and `out` differ in length.
#[inline(always)]
pub fn tree_slices(parts: &[&[f32]], out: &mut [f32]) {
    for part in parts {
        assert_eq!(part.len(), out.len(), "length of a tree leaf");
    }
    for (index, window) in out.chunks_mut(WIDTH).enumerate() {
        let sums = subtree(parts, index * WIDTH, window.len());
        for (slot, sum) in window.iter_mut().zip(sums) {
            *slot = canonical(sum);
        }
    }
}

fn subtree(parts: &[&[f32]], start: usize, len: usize) -> [f32; WIDTH] {
    match parts {
        [] => [0.0; WIDTH],
        [leaf] => {
            let mut sums = [0.0; WIDTH];
            sums[..len].copy_from_slice(&leaf[start..start + len]);
            sums
        }
        _ => {
            let (left, right) = parts.split_at(parts.len().next_power_of_two() / 2);
            let mut sums = subtree(left, start, len);
            for (sum, value) in sums.iter_mut().zip(subtree(right, start, len)) {
                *sum += value;
            }
            sums
        }
    }
}
