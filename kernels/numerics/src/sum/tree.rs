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
    let mut sum = Tree::new();
    for value in values {
        sum.push(value);
    }
    sum.total()
}

/// A tree that takes its leaves one at a time, in ascending order.
#[derive(Clone, Debug)]
pub struct Tree {
    /// `pending[level]` is a finished subtree of 2^level leaves where bit
    /// `level` of `count` is set: a binary counter.
    pending: [f32; usize::BITS as usize],
    count: usize,
}

impl Tree {
    /// A tree without leaves.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { pending: [0.0; usize::BITS as usize], count: 0 }
    }

    /// Adds the next leaf.
    #[inline(always)]
    pub fn push(&mut self, leaf: f32) {
        let mut sum = leaf;
        let full = self.count.trailing_ones() as usize;
        for left in &self.pending[..full] {
            sum += left;
        }
        self.pending[full] = sum;
        self.count += 1;
    }

    /// The sum of the leaves so far; +0 without leaves.
    #[inline(always)]
    #[must_use]
    pub fn total(&self) -> f32 {
        let mut sum = None;
        for (level, left) in self.pending.iter().enumerate() {
            if self.count >> level & 1 == 1 {
                sum = Some(sum.map_or(*left, |right| left + right));
            }
        }
        canonical(sum.unwrap_or(0.0))
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
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
    let mut pending = [[0.0; WIDTH]; usize::BITS as usize];
    let (windows, tail) = out.as_chunks_mut::<WIDTH>();
    let whole = windows.len();
    for (index, window) in windows.iter_mut().enumerate() {
        *window = window_tree(&mut pending, parts, |part| part.as_chunks::<WIDTH>().0[index]);
    }
    if !tail.is_empty() {
        let sums = window_tree(&mut pending, parts, |part| {
            let mut padded = [0.0; WIDTH];
            padded[..tail.len()].copy_from_slice(&part[whole * WIDTH..]);
            padded
        });
        tail.copy_from_slice(&sums[..tail.len()]);
    }
}

/// The counter of [`Tree`] with a window of elements for each value.
#[inline(always)]
fn window_tree(
    pending: &mut [[f32; WIDTH]],
    parts: &[&[f32]],
    window: impl Fn(&[f32]) -> [f32; WIDTH],
) -> [f32; WIDTH] {
    for (count, part) in parts.iter().enumerate() {
        let mut sums = window(part);
        let full = count.trailing_ones() as usize;
        for left in &pending[..full] {
            add(left, &mut sums);
        }
        pending[full] = sums;
    }
    total(pending, parts.len())
}

#[inline(always)]
fn total(pending: &[[f32; WIDTH]], count: usize) -> [f32; WIDTH] {
    let mut sums = [0.0; WIDTH];
    if count > 0 {
        let lowest = count.trailing_zeros() as usize;
        sums = pending[lowest];
        for (level, left) in pending.iter().enumerate().skip(lowest + 1) {
            if count >> level & 1 == 1 {
                add(left, &mut sums);
            }
        }
    }
    crate::format::canonicalise(&mut sums);
    sums
}

#[inline(always)]
fn add(left: &[f32; WIDTH], sums: &mut [f32; WIDTH]) {
    for (sum, value) in sums.iter_mut().zip(left) {
        *sum += value;
    }
}
