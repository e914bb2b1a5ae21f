//! What a register tile needs of the machine: splat, fused multiply-add and a
//! slice seen as registers.

use crate::format::{NAN_BITS, canonical};
use pulp::Simd;

/// A vector unit. Every implementation rounds an fma once, to nearest.
pub(super) trait Unit: Copy {
    type Register: Copy;
    const LANES: usize;
    fn splat(self, value: f32) -> Self::Register;
    /// a·b + c, rounded once.
    fn fma(self, a: Self::Register, b: Self::Register, c: Self::Register) -> Self::Register;
    /// Canonical RN(x + 0): the end of a chain.
    fn closed(self, x: Self::Register) -> Self::Register;
    /// The whole registers of a slice.
    fn registers(values: &[f32]) -> &[Self::Register];
    fn registers_mut(values: &mut [f32]) -> &mut [Self::Register];
}

/// A vector unit with an fma instruction.
#[derive(Clone, Copy)]
pub(super) struct Wide<S>(pub S);

impl<S: Simd> Unit for Wide<S> {
    type Register = S::f32s;
    const LANES: usize = S::F32_LANES;

    #[inline(always)]
    fn splat(self, value: f32) -> S::f32s {
        self.0.splat_f32s(value)
    }

    #[inline(always)]
    fn fma(self, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
        self.0.mul_add_f32s(a, b, c)
    }

    #[inline(always)]
    fn closed(self, x: S::f32s) -> S::f32s {
        let sum = self.0.add_f32s(x, self.splat(0.0));
        self.0.select_f32s(self.0.equal_f32s(sum, sum), sum, self.splat(f32::from_bits(NAN_BITS)))
    }

    #[inline(always)]
    fn registers(values: &[f32]) -> &[S::f32s] {
        S::as_simd_f32s(values).0
    }

    #[inline(always)]
    fn registers_mut(values: &mut [f32]) -> &mut [S::f32s] {
        S::as_mut_simd_f32s(values).0
    }
}

/// Plain arrays, for the instructions that every machine of the target has.
#[derive(Clone, Copy)]
pub(super) struct Portable;

const PORTABLE: usize = 4;

impl Unit for Portable {
    type Register = [f32; PORTABLE];
    const LANES: usize = PORTABLE;

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Register {
        [value; PORTABLE]
    }

    #[inline(always)]
    fn fma(self, a: Self::Register, b: Self::Register, c: Self::Register) -> Self::Register {
        fma(a, b, c)
    }

    #[inline(always)]
    fn closed(self, x: Self::Register) -> Self::Register {
        x.map(|x| canonical(x + 0.0))
    }

    #[inline(always)]
    fn registers(values: &[f32]) -> &[Self::Register] {
        values.as_chunks().0
    }

    #[inline(always)]
    fn registers_mut(values: &mut [f32]) -> &mut [Self::Register] {
        values.as_chunks_mut().0
    }
}

/// a·b + c of each lane, rounded once. Without an fma instruction `mul_add` is a library call, so x86-64's baseline
/// takes the f64 route, which vectorises.
#[inline(always)]
pub(super) fn fma(a: [f32; PORTABLE], b: [f32; PORTABLE], c: [f32; PORTABLE]) -> [f32; PORTABLE] {
    let mut result = [0.0; PORTABLE];
    if !cfg!(target_arch = "x86_64") {
        for lane in 0..PORTABLE {
            result[lane] = a[lane].mul_add(b[lane], c[lane]);
        }
        return result;
    }
    let mut doubtful = false;
    for lane in 0..PORTABLE {
        let sum = f64::from(a[lane]) * f64::from(b[lane]) + f64::from(c[lane]);
        doubtful |= is_doubtful(sum);
        result[lane] = sum as f32;
    }
    if doubtful {
        for lane in 0..PORTABLE {
            result[lane] = fma_by_f64(a[lane], b[lane], c[lane]);
        }
    }
    result
}

/// Whether an f64 that was rounded once may round to another fp32 than the exact value that it stands for. Rounding
/// keeps the side of every f64, so it may only where it is a midpoint of two fp32 values: 29 bits that read 1000…0, or
/// anything below the smallest normal number.
#[inline(always)]
fn is_doubtful(sum: f64) -> bool {
    const LOST: u64 = (1 << 29) - 1;
    let midpoint = sum.to_bits() & LOST == 1 << 28;
    let small = sum.abs() < f64::from(f32::MIN_POSITIVE) && sum != 0.0;
    midpoint | small
}

/// The product is exact in f64. The sum is rounded to odd there: where it is
/// inexact, the last bit is set. An odd f64 is never a midpoint of fp32 and
/// keeps the side of the exact value, so the second rounding is the right one.
#[inline(always)]
pub(super) fn fma_by_f64(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let addend = f64::from(c);
    let sum = product + addend;
    let back = sum - product;
    // What the addition lost, exactly; NaN at infinities, where nothing is lost.
    let lost = (product - (sum - back)) + (addend - back);
    let bits = sum.to_bits();
    let away = (lost.to_bits() ^ bits) >> 63;
    let nudge = 1_u64.wrapping_sub(away << 1);
    let inexact = if lost.abs() > 0.0 { u64::MAX } else { 0 };
    let even = (bits & 1).wrapping_sub(1);
    f64::from_bits(bits.wrapping_add(nudge & inexact & even)) as f32
}
