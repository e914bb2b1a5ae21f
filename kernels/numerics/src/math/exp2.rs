//! `exp2.poly5.v1`: 2^x by one fixed polynomial, about 2 ulp.
//!
//! Steps, each rounded to nearest:
//! 1. x below −126 becomes −126, so the result is at least 2^-126.
//! 2. n = (x + 12582912) − 12582912, the nearest integer, ties to even.
//! 3. f = x − n, exact, |f| ≤ 1/2.
//! 4. Horner by fma in f with six coefficients.
//! 5. n is added to the exponent of the result.
//!
//! exp2(0) is exactly 1. The domain is x < 127.5; beyond it the exponent
//! overflows and the bits mean nothing. A NaN gives the canonical NaN.

use crate::format::NAN_BITS;

/// Coefficients as fp32 bits, highest power first.
const COEFFICIENTS: [u32; 6] = [0x3AAD_DD0A, 0x3C1E_7544, 0x3D63_5BA9, 0x3E75_FCDE, 0x3F31_7215, 0x3F80_0000];

/// 1.5 · 2^23: adding it leaves no fraction bits.
const ROUND: f32 = 12_582_912.0;

/// 2^x by `exp2.poly5.v1`, for x < 127.5.
#[inline(always)]
#[must_use]
pub fn exp2_poly5(x: f32) -> f32 {
    let clamped = if x < -126.0 { -126.0 } else { x };
    let shifted = clamped + ROUND;
    let fraction = clamped - (shifted - ROUND);
    let mut value = f32::from_bits(COEFFICIENTS[0]);
    for bits in &COEFFICIENTS[1..] {
        value = value.mul_add(fraction, f32::from_bits(*bits));
    }
    // The low bits of `shifted` hold n, so this shift leaves n in the exponent.
    let scaled = value.to_bits().wrapping_add(shifted.to_bits() << 23);
    f32::from_bits(if x.is_nan() { NAN_BITS } else { scaled })
}

/// [`exp2_poly5`] of every element.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
pub fn exp2_poly5_slice(values: &[f32], out: &mut [f32]) {
    assert_eq!(values.len(), out.len(), "source and destination lengths");
    for (slot, value) in out.iter_mut().zip(values) {
        *slot = exp2_poly5(*value);
    }
}
