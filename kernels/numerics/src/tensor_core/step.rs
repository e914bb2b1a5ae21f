//! One step, in integers, as the contract is written.

use super::Format;
use crate::format::canonical;

/// Products of the longest step, and C.
const MOST_TERMS: usize = 33;

/// A value that is not special: (−1)^negative · significand · 2^(exponent − 23).
#[derive(Clone, Copy)]
struct Finite {
    negative: bool,
    significand: u64,
    exponent: i32,
}

/// A term of the sum: (−1)^negative · significand · 2^(exponent − fraction).
#[derive(Clone, Copy, Default)]
struct Term {
    negative: bool,
    significand: u64,
    fraction: i32,
    exponent: i32,
}

/// D = Σ a_k·b_k + c of one tensor-core step. Operands that are left out at the end count as zeros.
///
/// # Panics
/// When the slices differ in length or are longer than a step, or when an operand is not of `format`.
#[must_use]
pub fn step(format: Format, a: &[f32], b: &[f32], c: f32) -> f32 {
    let parameters = format.parameters();
    assert_eq!(a.len(), b.len(), "operands of a step");
    assert!(a.len() <= parameters.depth, "{} products in a step of {}", a.len(), parameters.depth);
    assert!(a.iter().chain(b).all(|x| format.holds(*x)), "an operand that {} does not have", format.name());
    if let Some(special) = special(a, b, c) {
        return special;
    }
    let mut terms = [Term::default(); MOST_TERMS];
    let mut count = 0;
    let mut largest = -133;
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (Finite::of(*a, parameters.min_exponent), Finite::of(*b, parameters.min_exponent));
        let significand = a.significand * b.significand;
        if significand != 0 {
            let exponent = a.exponent + b.exponent;
            terms[count] = Term { negative: a.negative != b.negative, significand, fraction: 46, exponent };
            count += 1;
            largest = largest.max(exponent);
        }
    }
    let Finite { negative, significand, exponent } = Finite::of(c, -126);
    if significand != 0 {
        terms[count] = Term { negative, significand, fraction: 23, exponent };
        count += 1;
        largest = largest.max(exponent);
    }
    let mut sum = 0_i64;
    for term in &terms[..count] {
        let magnitude =
            shifted(term.significand, parameters.term_bits - term.fraction + term.exponent - largest) as i64;
        sum += if term.negative { -magnitude } else { magnitude };
    }
    rounded(sum, largest - parameters.term_bits, parameters.result_bits)
}

/// The result where an operand is not finite.
fn special(a: &[f32], b: &[f32], c: f32) -> Option<f32> {
    // The sum of the terms that are not finite: a product with an infinity is that infinity with the right sign, or NaN
    // where the other factor is zero, and infinities of both signs give NaN.
    let mut sum = if c.is_finite() { 0.0 } else { c };
    for (a, b) in a.iter().zip(b) {
        if !a.is_finite() || !b.is_finite() {
            sum += a * b;
        }
    }
    (!sum.is_finite()).then(|| canonical(sum))
}

impl Finite {
    /// The exponent is at least `min_exponent`, and the significand below 2^23 where that lifts it; 0 for zeros.
    fn of(value: f32, min_exponent: i32) -> Self {
        let bits = value.to_bits();
        let (field, fraction) = ((bits >> 23 & 0xFF) as i32, u64::from(bits & 0x007F_FFFF));
        let (significand, exponent) = if field == 0 { (fraction, -126) } else { (fraction | 1 << 23, field - 127) };
        let lifted = exponent.max(min_exponent);
        Self { negative: bits >> 31 == 1, significand: shifted(significand, exponent - lifted), exponent: lifted }
    }
}

/// ⌊magnitude · 2^places⌋.
fn shifted(magnitude: u64, places: i32) -> u64 {
    match places {
        0.. => magnitude << places,
        -63..0 => magnitude >> -places,
        _ => 0,
    }
}

/// sum · 2^unit truncated toward zero to `result_bits` fraction bits.
fn rounded(sum: i64, unit: i32, result_bits: i32) -> f32 {
    let magnitude = sum.unsigned_abs();
    if magnitude == 0 {
        return 0.0;
    }
    let sign = if sum < 0 { 1 << 31 } else { 0 };
    let exponent = (unit + 63 - magnitude.leading_zeros() as i32).max(-126);
    if exponent > 127 {
        return f32::from_bits(sign | f32::INFINITY.to_bits());
    }
    let kept = shifted(magnitude, unit - (exponent - result_bits));
    if kept == 0 {
        return 0.0;
    }
    // In units of 2^(exponent − 23): a normal number has bit 23.
    let significand = (kept << (23 - result_bits)) as u32;
    let field = if significand >> 23 == 1 { (exponent + 127) as u32 } else { 0 };
    f32::from_bits(sign | field << 23 | significand & 0x007F_FFFF)
}
