//! The exponential, correctly rounded, fast enough for a softmax over a
//! vocabulary.
//!
//! One f64 evaluation gives exp(x) with a relative error below 2^-49. Both ends
//! of the interval y·(1 ± 2^-47) are rounded to fp32; where they agree, the
//! exact value rounds there too. Where they differ (about two inputs in ten
//! million) the whole group of lanes is answered by `metallic`, whose function
//! equals the reference on every input. The f64 steps are plain adds and
//! multiplies, so they give the same bits with and without fma instructions.

use crate::format::canonical;

/// Lanes that are tested together; no bit depends on it.
pub(super) const LANES: usize = 32;

/// Below this the result rounds to +0, above `HIGH` to infinity.
const LOW: f32 = -104.0;
const HIGH: f32 = 89.0;

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 with its last 21 bits cleared, so n·LN2_HI is exact for |n| < 2^11.
const LN2_HI: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
/// ln 2 − LN2_HI.
const LN2_LO: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
/// 1.5 · 2^52: adding it leaves no fraction bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Bound of the relative error, four times what the evaluation needs.
const ERROR: f64 = 1.0 / (1_u64 << 47) as f64;

/// 1/k! for k = 0 to 13. The series ends below 2^-53 for |r| ≤ ln(2)/2.
const SERIES: [f64; 14] = [
    1.0,
    1.0,
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// Applies a function of whole groups to a slice. The last group is filled up
/// with zeros, whose results are dropped. A macro, because a function passed as
/// an argument is not always inlined, and then keeps the baseline's vectors.
macro_rules! by_lanes {
    ($values:expr, $out:expr, $function:ident) => {
        let (groups, tail) = $values.as_chunks::<LANES>();
        let (out_groups, out_tail) = $out.as_chunks_mut::<LANES>();
        for (slot, group) in out_groups.iter_mut().zip(groups) {
            *slot = $function(group);
        }
        if !tail.is_empty() {
            let mut padded = [0.0; LANES];
            padded[..tail.len()].copy_from_slice(tail);
            out_tail.copy_from_slice(&$function(&padded)[..tail.len()]);
        }
    };
}
pub(super) use by_lanes;

/// e^x, correctly rounded.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    let (low, high) = bounds(x);
    if low == high { low } else { settle(x) }
}

/// [`exp`] of every element.
///
/// # Panics
/// When the lengths differ.
#[inline(always)]
pub fn exp_slice(values: &[f32], out: &mut [f32]) {
    assert_eq!(values.len(), out.len(), "source and destination lengths");
    by_lanes!(values, out, exp_lanes);
}

/// [`exp`] of a group of lanes, with one branch for all of them.
#[inline(always)]
pub(super) fn exp_lanes(values: &[f32; LANES]) -> [f32; LANES] {
    let mut out = [0.0; LANES];
    let mut unsettled = 0_u32;
    for (slot, value) in out.iter_mut().zip(values) {
        let (low, high) = bounds(*value);
        unsettled |= low.to_bits() ^ high.to_bits();
        *slot = low;
    }
    if unsettled != 0 {
        settle_lanes(values, &mut out);
    }
    out
}

/// The two fp32 values between which the exact result rounds. A NaN gives two
/// different bit patterns, which sends it to [`settle`].
#[inline(always)]
fn bounds(x: f32) -> (f32, f32) {
    let clamped = if x < LOW { LOW } else { x };
    let clamped = if clamped > HIGH { HIGH } else { clamped };
    let wide = f64::from(clamped);
    let shifted = wide * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (wide - n * LN2_HI) - n * LN2_LO;
    let value = series(r);
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let result = value * scale;
    let slack = result * ERROR;
    let low = (result - slack) as f32;
    let high = (result + slack) as f32;
    (low, if x.is_nan() { 0.0 } else { high })
}

/// Σ r^k/k! by pairs, then pairs of pairs: a short chain of dependent steps.
#[inline(always)]
fn series(r: f64) -> f64 {
    let pair = |k: usize| SERIES[k] + SERIES[k + 1] * r;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = pair(0) + pair(2) * r2;
    let middle = pair(4) + pair(6) * r2;
    let high = pair(8) + pair(10) * r2;
    let top = high + pair(12) * r4;
    low + (middle + top * r4) * r4
}

#[cold]
#[inline(never)]
fn settle(x: f32) -> f32 {
    canonical(metallic::expf(x))
}

#[cold]
#[inline(never)]
fn settle_lanes(values: &[f32; LANES], out: &mut [f32; LANES]) {
    for (slot, value) in out.iter_mut().zip(values) {
        *slot = settle(*value);
    }
}
