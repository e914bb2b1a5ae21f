//! A register tile of chains: the exact float form of a step, and the way out where it is not exact.

use super::chain::{SPECIAL, ZERO};
use super::lanes::Lanes;
use super::{Format, Parameters, step};
use crate::format::canonical;
use crate::gemm::Tile;

/// Largest exponents between which every float operation of a step is exact.
const LOW: i32 = -100;
const HIGH: i32 = 120;
/// Below every exponent of a term that is not zero, above those of zeros.
const NOTHING: i32 = ZERO / 2;
/// Lanes of the widest tile.
const MAX_COLS: usize = 32;
/// Products of the longest step.
const DEEPEST: usize = 32;

/// A packed panel: the chain index outermost, then the rows or columns of a tile.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub values: &'a [f32],
    pub exponents: &'a [i32],
}

/// Continues the chains of the tile of C at (row, rows, column, columns), from +0 where `zero`.
#[inline(always)]
pub(super) fn tile<L: Lanes, const MR: usize, const NV: usize>(
    lanes: L,
    format: Format,
    (a, b): (Side<'_>, Side<'_>),
    c: &mut Tile<'_>,
    (row0, rows, col0, cols): (usize, usize, usize, usize),
    zero: bool,
) {
    let mut sums = [[lanes.splat(0.0); NV]; MR];
    if !zero {
        for (row, sums) in sums.iter_mut().enumerate().take(rows) {
            let mut padded = [0.0; MAX_COLS];
            padded[..cols].copy_from_slice(&c.row_mut(row0 + row)[col0..][..cols]);
            sums.copy_from_slice(&L::floats(&padded)[..NV]);
        }
    }
    steps::<L, MR, NV>(lanes, format, a, b, &mut sums);
    for (row, sums) in sums.iter().enumerate().take(rows) {
        let mut padded = [0.0; MAX_COLS];
        L::floats_mut(&mut padded)[..NV].copy_from_slice(sums);
        c.row_mut(row0 + row)[col0..][..cols].copy_from_slice(&padded[..cols]);
    }
}

#[inline(always)]
fn steps<L: Lanes, const MR: usize, const NV: usize>(
    lanes: L,
    format: Format,
    a: Side<'_>,
    b: Side<'_>,
    sums: &mut [[L::Floats; NV]; MR],
) {
    let parameters = format.parameters();
    let (a_values, b_values) = (a.values.as_chunks::<MR>().0, L::floats(b.values).as_chunks::<NV>().0);
    let (a_exponents, b_exponents) = (a.exponents.as_chunks::<MR>().0, L::ints(b.exponents).as_chunks::<NV>().0);
    let windows = a_values.chunks(parameters.depth).zip(b_values.chunks(parameters.depth));
    let fields = a_exponents.chunks(parameters.depth).zip(b_exponents.chunks(parameters.depth));
    for (at, ((a_values, b_values), (a_exponents, b_exponents))) in windows.zip(fields).enumerate() {
        let first = at * parameters.depth;
        // Loops over constants and not `map` or `zip`: registers stay registers, and what is called is compiled for the
        // unit's instructions, with debug assertions too.
        let mut largest = [[lanes.splat_int(0); NV]; MR];
        for row in 0..MR {
            for v in 0..NV {
                largest[row][v] = exponents(lanes, sums[row][v]);
            }
        }
        for (a, b) in a_exponents.iter().zip(b_exponents) {
            for row in 0..MR {
                let a = lanes.splat_int(a[row]);
                for v in 0..NV {
                    largest[row][v] = lanes.max(largest[row][v], lanes.add(a, b[v]));
                }
            }
        }
        let mut scales = [[lanes.splat(0.0); NV]; MR];
        for row in 0..MR {
            for v in 0..NV {
                scales[row][v] = scale(lanes, parameters, largest[row][v]);
            }
        }
        let mut totals = [[lanes.splat_int(0); NV]; MR];
        for (a, b) in a_values.iter().zip(b_values) {
            for row in 0..MR {
                let a = lanes.splat(a[row]);
                for v in 0..NV {
                    let term = lanes.multiply(lanes.multiply(a, b[v]), scales[row][v]);
                    totals[row][v] = lanes.add(totals[row][v], lanes.truncate(term));
                }
            }
        }
        for row in 0..MR {
            for v in 0..NV {
                let (c, largest, total) = (sums[row][v], largest[row][v], totals[row][v]);
                let (mut result, inexact) = finish(lanes, parameters, c, largest, scales[row][v], total);
                if lanes.any(inexact) {
                    let b = &b.values[first * NV * L::COUNT..];
                    result = repaired::<L, MR, NV>(format, (row, v), (a_values, b), c, result, inexact);
                }
                sums[row][v] = result;
            }
        }
    }
}

/// Exponent of each lane as a term of the sum.
#[inline(always)]
fn exponents<L: Lanes>(lanes: L, x: L::Floats) -> L::Ints {
    let magnitude = lanes.and(lanes.bits(x), lanes.splat_int(i32::MAX));
    let field = lanes.field_of(magnitude);
    let number = lanes.subtract(lanes.max(field, lanes.splat_int(1)), lanes.splat_int(127));
    // A mask is −1 or 0 in every bit: `and` picks a constant where it is set.
    let present = lanes.greater(magnitude, lanes.splat_int(0));
    let special = lanes.greater(field, lanes.splat_int(254));
    let absent = lanes.subtract(lanes.splat_int(-1), present);
    let lowered = lanes.add(number, lanes.and(absent, lanes.splat_int(ZERO)));
    lanes.add(lowered, lanes.and(special, lanes.splat_int(SPECIAL)))
}

#[inline(always)]
fn within<L: Lanes>(lanes: L, largest: L::Ints) -> L::Ints {
    lanes.min(lanes.max(largest, lanes.splat_int(LOW)), lanes.splat_int(HIGH))
}

/// 2^(term bits − largest).
#[inline(always)]
fn scale<L: Lanes>(lanes: L, parameters: Parameters, largest: L::Ints) -> L::Floats {
    let exponent = lanes.subtract(lanes.splat_int(127 + parameters.term_bits), within(lanes, largest));
    lanes.of_bits(lanes.to_field(exponent))
}

/// The results, and a mask of the lanes in which they may be wrong.
#[inline(always)]
fn finish<L: Lanes>(
    lanes: L,
    parameters: Parameters,
    c: L::Floats,
    largest: L::Ints,
    scale: L::Floats,
    total: L::Ints,
) -> (L::Floats, L::Ints) {
    let of_c = lanes.truncate(lanes.multiply(c, scale));
    let sum = lanes.add(total, of_c);
    let overflow = lanes.negative(lanes.and(lanes.xor(total, sum), lanes.xor(of_c, sum)));
    let above = lanes.greater(largest, lanes.splat_int(HIGH));
    let below =
        lanes.and(lanes.greater(lanes.splat_int(LOW), largest), lanes.greater(largest, lanes.splat_int(NOTHING)));
    let inexact = lanes.or(overflow, lanes.or(above, below));
    let magnitude = lanes.abs(sum);
    let nearest = lanes.to_floats(magnitude);
    let bits = if parameters.result_bits == 23 {
        // Where the nearest float is above the integer, the one toward zero is the float before it.
        let back = lanes.truncate(nearest);
        let beyond = lanes.greater(lanes.subtract(back, magnitude), lanes.splat_int(0));
        lanes.add(lanes.bits(nearest), beyond)
    } else {
        // Exact, since the sum of an fp8 step is below 2^24.
        lanes.and(lanes.bits(nearest), lanes.splat_int(-1 << (23 - parameters.result_bits)))
    };
    let signed = lanes.or(bits, lanes.and(sum, lanes.splat_int(i32::MIN)));
    let unit = lanes.add(within(lanes, largest), lanes.splat_int(127 - parameters.term_bits));
    (lanes.multiply(lanes.of_bits(signed), lanes.of_bits(lanes.to_field(unit))), inexact)
}

/// The lanes of the mask without the float form: specials by their own rules, the others by [`step`].
#[cold]
#[inline(never)]
fn repaired<L: Lanes, const MR: usize, const NV: usize>(
    format: Format,
    (row, v): (usize, usize),
    (a, b): (&[[f32; MR]], &[f32]),
    c: L::Floats,
    result: L::Floats,
    inexact: L::Ints,
) -> L::Floats {
    let (c, mut results) = (values::<L>(c), values::<L>(result));
    let mut mask = [0; MAX_COLS];
    L::ints_mut(&mut mask)[0] = inexact;
    let b = |k: usize| &b[(k * NV + v) * L::COUNT..][..L::COUNT];
    // The sum of the terms that are not finite: itself not finite where there is one, and NaN where infinities meet.
    let mut specials = c.map(|c| if c.is_finite() { 0.0 } else { c });
    for (k, a) in a.iter().enumerate() {
        let a = a[row];
        for (special, b) in specials.iter_mut().zip(b(k)) {
            *special += if a.is_finite() && b.is_finite() { 0.0 } else { a * b };
        }
    }
    for lane in (0..L::COUNT).filter(|lane| mask[*lane] != 0) {
        results[lane] = if specials[lane].is_finite() {
            let mut pairs = [[0.0; DEEPEST]; 2];
            for (k, a) in a.iter().enumerate() {
                (pairs[0][k], pairs[1][k]) = (a[row], b(k)[lane]);
            }
            step(format, &pairs[0][..a.len()], &pairs[1][..a.len()], c[lane])
        } else {
            canonical(specials[lane])
        };
    }
    L::floats(&results)[0]
}

fn values<L: Lanes>(x: L::Floats) -> [f32; MAX_COLS] {
    let mut values = [0.0; MAX_COLS];
    L::floats_mut(&mut values)[0] = x;
    values
}
