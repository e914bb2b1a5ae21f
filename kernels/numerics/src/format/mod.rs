//! Storage formats: bf16, fp16, canonical NaN, and integer keys that order
//! floats.
//!
//! Narrowing rounds to nearest, ties to even, and keeps subnormals. A NaN is
//! stored as the one pattern that the GPU writes: 0x7FFFFFFF in fp32, 0x7FFF in
//! bf16 and fp16. Widening is exact and keeps a NaN's sign and payload, so an
//! imported tensor is read as it is.
//!
//! It does not know the 8-bit and 4-bit formats, scales, or stochastic
//! rounding.

/// The fp32 NaN that every kernel stores.
pub const NAN_BITS: u32 = 0x7FFF_FFFF;

/// The bf16 and fp16 NaN that every kernel stores.
pub const NAN_BITS_16: u16 = 0x7FFF;

/// Replaces any NaN by the canonical one; every other value is unchanged.
#[inline(always)]
#[must_use]
pub fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(NAN_BITS) } else { x }
}

/// Applies [`canonical`] to every element.
#[inline(always)]
pub fn canonicalise(values: &mut [f32]) {
    for value in values {
        *value = canonical(*value);
    }
}

/// fp32 to bf16 bits, round to nearest even.
#[inline(always)]
#[must_use]
pub fn bf16_from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    // The add carries into the exponent where the significand overflows, which
    // is what rounding up to the next binade or to infinity means.
    let rounded = bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) >> 16;
    let kept = if x.is_nan() { u32::from(NAN_BITS_16) } else { rounded };
    kept as u16
}

/// bf16 bits to fp32, exact.
#[inline(always)]
#[must_use]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// fp32 to fp16 bits, round to nearest even; magnitudes of 65520 and above
/// become infinity.
#[inline(always)]
#[must_use]
pub fn fp16_from_f32(x: f32) -> u16 {
    const INFINITY: u32 = 0x7C00;
    /// 2^16: everything from here on overflows.
    const OVERFLOW: u32 = 0x4780_0000;
    /// 2^-14: the smallest normal fp16.
    const NORMAL: u32 = 0x3880_0000;
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    // Adding 0.5 puts the unit of the fp16 subnormal grid, 2^-24, at the last
    // place of the fp32 sum, so the hardware add does the rounding.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3F00_0000);
    let rebiased = magnitude.wrapping_sub((127 - 15) << 23);
    let normal = rebiased.wrapping_add(0xFFF + ((rebiased >> 13) & 1)) >> 13;
    let finite = if magnitude < NORMAL { subnormal } else { normal };
    let value = if magnitude >= OVERFLOW { INFINITY } else { finite };
    let kept = if x.is_nan() { u32::from(NAN_BITS_16) } else { sign | value };
    kept as u16
}

/// fp16 bits to fp32, exact.
#[inline(always)]
#[must_use]
pub fn fp16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7FFF);
    let exponent = magnitude & 0x7C00;
    let shifted = magnitude << 13;
    let normal = shifted + ((127 - 15) << 23);
    // A subnormal is its integer significand times 2^-24, both exact in fp32.
    let subnormal = (magnitude as f32 * f32::from_bits(0x3380_0000)).to_bits();
    let special = shifted | 0x7F80_0000;
    let finite = if exponent == 0 { subnormal } else { normal };
    f32::from_bits(sign | if exponent == 0x7C00 { special } else { finite })
}

macro_rules! slices {
    ($store:ident, $load:ident, $from:ident, $to:ident, $name:literal) => {
        #[doc = concat!("Stores fp32 values as ", $name, " bits, element by element.")]
        ///
        /// # Panics
        /// When the lengths differ.
        #[inline(always)]
        pub fn $store(values: &[f32], out: &mut [u16]) {
            assert_eq!(values.len(), out.len(), "source and destination lengths");
            for (slot, value) in out.iter_mut().zip(values) {
                *slot = $from(*value);
            }
        }

        #[doc = concat!("Loads ", $name, " bits as fp32 values, element by element.")]
        ///
        /// # Panics
        /// When the lengths differ.
        #[inline(always)]
        pub fn $load(bits: &[u16], out: &mut [f32]) {
            assert_eq!(bits.len(), out.len(), "source and destination lengths");
            for (slot, word) in out.iter_mut().zip(bits) {
                *slot = $to(*word);
            }
        }
    };
}

slices!(bf16_store, bf16_load, bf16_from_f32, bf16_to_f32, "bf16");
slices!(fp16_store, fp16_load, fp16_from_f32, fp16_to_f32, "fp16");

/// An unsigned key that orders floats: a < b as floats implies key(a) <
/// key(b), and −0 comes just before +0.
///
/// A canonical NaN is above +infinity, so a maximum shows it. Two floats have
/// the same key only when they have the same bits.
#[inline(always)]
#[must_use]
pub fn order_key(x: f32) -> u32 {
    let bits = x.to_bits();
    let flip = ((bits as i32) >> 31) as u32 | 0x8000_0000;
    bits ^ flip
}

/// The float whose [`order_key`] is `key`.
#[inline(always)]
#[must_use]
pub fn from_order_key(key: u32) -> f32 {
    let flip = ((!key as i32) >> 31) as u32 | 0x8000_0000;
    f32::from_bits(key ^ flip)
}

/// The operand with the larger [`order_key`]; +0 wins over −0 and a canonical
/// NaN over everything.
#[inline(always)]
#[must_use]
pub fn max(a: f32, b: f32) -> f32 {
    if order_key(a) >= order_key(b) { a } else { b }
}

/// The operand with the smaller [`order_key`]; −0 wins over +0.
#[inline(always)]
#[must_use]
pub fn min(a: f32, b: f32) -> f32 {
    if order_key(a) <= order_key(b) { a } else { b }
}

/// The largest element by [`order_key`], or `None` for an empty slice.
///
/// The result does not depend on the order of comparison.
#[inline(always)]
#[must_use]
pub fn max_of(values: &[f32]) -> Option<f32> {
    let (&first, rest) = values.split_first()?;
    let key = rest.iter().fold(order_key(first), |key, &value| key.max(order_key(value)));
    Some(from_order_key(key))
}

#[cfg(test)]
mod tests;
