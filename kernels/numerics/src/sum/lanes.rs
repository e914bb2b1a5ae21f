//! `lanes32`: 32 running sums, then a butterfly.
//!
//! Element i belongs to lane i mod 32. Lane sums run in ascending order from
//! +0; a lane without elements is +0. The butterfly adds lane l and lane l xor
//! d for d = 16, 8, 4, 2, 1. Thirty-two lanes are one warp, and they are two or
//! four vector registers, so both machines add in the same order.

use crate::format::canonical;

const LANES: usize = 32;

/// Sum of the elements.
#[inline(always)]
#[must_use]
pub fn lanes32(values: &[f32]) -> f32 {
    let (whole, tail) = values.as_chunks::<LANES>();
    let mut acc = [0.0; LANES];
    for chunk in whole {
        for (sum, value) in acc.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    for (sum, value) in acc.iter_mut().zip(tail) {
        *sum += value;
    }
    butterfly(acc)
}

/// Sum of squares, each step fma(x, x, acc).
#[inline(always)]
#[must_use]
pub fn lanes32_squares(values: &[f32]) -> f32 {
    let (whole, tail) = values.as_chunks::<LANES>();
    let mut acc = [0.0_f32; LANES];
    for chunk in whole {
        for (sum, value) in acc.iter_mut().zip(chunk) {
            *sum = value.mul_add(*value, *sum);
        }
    }
    for (sum, value) in acc.iter_mut().zip(tail) {
        *sum = value.mul_add(*value, *sum);
    }
    butterfly(acc)
}

/// Sum of RN(a·b): each product is rounded, then added.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
#[must_use]
pub fn lanes32_products(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "operand lengths of a sum of products");
    let (whole_a, tail_a) = a.as_chunks::<LANES>();
    let (whole_b, tail_b) = b.as_chunks::<LANES>();
    let mut acc = [0.0; LANES];
    for (x, y) in whole_a.iter().zip(whole_b) {
        for lane in 0..LANES {
            acc[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in tail_a.iter().zip(tail_b).enumerate() {
        acc[lane] += x * y;
    }
    butterfly(acc)
}

/// Sum of `value(0)`, …, `value(n − 1)`; `value` is asked in ascending order
/// and its results are added as they are.
#[inline(always)]
#[must_use]
pub fn lanes32_by(n: usize, mut value: impl FnMut(usize) -> f32) -> f32 {
    let mut acc = [0.0; LANES];
    let whole = n - n % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, sum) in acc.iter_mut().enumerate() {
            *sum += value(start + lane);
        }
    }
    for index in whole..n {
        acc[index - whole] += value(index);
    }
    butterfly(acc)
}

/// Only the lower half of each step is kept: addition commutes, so lane l and
/// lane l xor d hold the same bits.
#[inline(always)]
fn butterfly(mut acc: [f32; LANES]) -> f32 {
    for distance in [16, 8, 4, 2, 1] {
        for lane in 0..distance {
            acc[lane] += acc[lane + distance];
        }
    }
    canonical(acc[0])
}
