//! The vector operations of a step: fp32 and 32-bit integers side by side.

use pulp::Simd;

/// A vector unit. Masks are integers whose bits are all ones or all zeros.
pub(super) trait Lanes: Copy {
    type Floats: Copy;
    type Ints: Copy;
    const COUNT: usize;
    fn splat(self, value: f32) -> Self::Floats;
    fn splat_int(self, value: i32) -> Self::Ints;
    fn multiply(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// Toward zero. Anything for values beyond the integers.
    fn truncate(self, x: Self::Floats) -> Self::Ints;
    /// To the nearest.
    fn to_floats(self, x: Self::Ints) -> Self::Floats;
    fn bits(self, x: Self::Floats) -> Self::Ints;
    fn of_bits(self, x: Self::Ints) -> Self::Floats;
    fn add(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn subtract(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn max(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn min(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn and(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn or(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn xor(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// |x|; the smallest integer stays.
    fn abs(self, x: Self::Ints) -> Self::Ints;
    /// Mask of a > b.
    fn greater(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// x · 2^23: an exponent field from its number.
    fn to_field(self, x: Self::Ints) -> Self::Ints;
    /// x shifted right by 23 places, zeros shifted in.
    fn field_of(self, x: Self::Ints) -> Self::Ints;
    /// Mask of x < 0.
    fn negative(self, x: Self::Ints) -> Self::Ints;
    /// Whether a mask has a lane.
    fn any(self, x: Self::Ints) -> bool;
    /// The whole registers of a slice.
    fn floats(values: &[f32]) -> &[Self::Floats];
    fn floats_mut(values: &mut [f32]) -> &mut [Self::Floats];
    fn ints(values: &[i32]) -> &[Self::Ints];
    fn ints_mut(values: &mut [i32]) -> &mut [Self::Ints];
}

/// What pulp's units have, and its common trait does not.
pub(super) trait Convert: Simd {
    fn truncated(self, x: Self::f32s) -> Self::i32s;
    fn converted(self, x: Self::i32s) -> Self::f32s;
}

#[cfg(target_arch = "x86_64")]
impl Convert for pulp::x86::V3 {
    #[inline(always)]
    fn truncated(self, x: Self::f32s) -> Self::i32s {
        self.convert_f32x8_to_i32x8(x)
    }
    #[inline(always)]
    fn converted(self, x: Self::i32s) -> Self::f32s {
        self.convert_i32x8_to_f32x8(x)
    }
}

#[cfg(target_arch = "x86_64")]
impl Convert for pulp::x86::V4 {
    #[inline(always)]
    fn truncated(self, x: Self::f32s) -> Self::i32s {
        self.convert_f32x16_to_i32x16(x)
    }
    #[inline(always)]
    fn converted(self, x: Self::i32s) -> Self::f32s {
        self.convert_i32x16_to_f32x16(x)
    }
}

/// A vector unit of pulp.
#[derive(Clone, Copy)]
pub(super) struct Wide<S>(pub S);

impl<S: Convert> Wide<S> {
    #[inline(always)]
    fn mask(self, mask: S::m32s) -> S::i32s {
        self.0.select_i32s(mask, self.splat_int(-1), self.splat_int(0))
    }
}

impl<S: Convert> Lanes for Wide<S> {
    type Floats = S::f32s;
    type Ints = S::i32s;
    const COUNT: usize = S::F32_LANES;

    #[inline(always)]
    fn splat(self, value: f32) -> S::f32s {
        self.0.splat_f32s(value)
    }
    #[inline(always)]
    fn splat_int(self, value: i32) -> S::i32s {
        self.0.splat_i32s(value)
    }
    #[inline(always)]
    fn multiply(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.mul_f32s(a, b)
    }
    #[inline(always)]
    fn truncate(self, x: S::f32s) -> S::i32s {
        self.0.truncated(x)
    }
    #[inline(always)]
    fn to_floats(self, x: S::i32s) -> S::f32s {
        self.0.converted(x)
    }
    #[inline(always)]
    fn bits(self, x: S::f32s) -> S::i32s {
        self.0.transmute_i32s_f32s(x)
    }
    #[inline(always)]
    fn of_bits(self, x: S::i32s) -> S::f32s {
        self.0.transmute_f32s_i32s(x)
    }
    #[inline(always)]
    fn add(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.add_i32s(a, b)
    }
    #[inline(always)]
    fn subtract(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.sub_i32s(a, b)
    }
    #[inline(always)]
    fn max(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.max_i32s(a, b)
    }
    #[inline(always)]
    fn min(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.min_i32s(a, b)
    }
    #[inline(always)]
    fn and(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.and_i32s(a, b)
    }
    #[inline(always)]
    fn or(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.or_i32s(a, b)
    }
    #[inline(always)]
    fn xor(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.0.xor_i32s(a, b)
    }
    #[inline(always)]
    fn abs(self, x: S::i32s) -> S::i32s {
        self.max(x, self.subtract(self.splat_int(0), x))
    }
    #[inline(always)]
    fn greater(self, a: S::i32s, b: S::i32s) -> S::i32s {
        self.mask(self.0.greater_than_i32s(a, b))
    }
    #[inline(always)]
    fn to_field(self, x: S::i32s) -> S::i32s {
        let x = self.0.transmute_u32s_i32s(x);
        self.0.transmute_i32s_u32s(self.0.wrapping_dyn_shl_u32s(x, self.0.splat_u32s(23)))
    }
    #[inline(always)]
    fn field_of(self, x: S::i32s) -> S::i32s {
        let x = self.0.transmute_u32s_i32s(x);
        self.0.transmute_i32s_u32s(self.0.wrapping_dyn_shr_u32s(x, self.0.splat_u32s(23)))
    }
    #[inline(always)]
    fn negative(self, x: S::i32s) -> S::i32s {
        self.greater(self.splat_int(0), x)
    }
    #[inline(always)]
    fn any(self, x: S::i32s) -> bool {
        self.0.first_true_m32s(self.0.less_than_i32s(x, self.splat_int(0))) < S::F32_LANES
    }
    #[inline(always)]
    fn floats(values: &[f32]) -> &[S::f32s] {
        S::as_simd_f32s(values).0
    }
    #[inline(always)]
    fn floats_mut(values: &mut [f32]) -> &mut [S::f32s] {
        S::as_mut_simd_f32s(values).0
    }
    #[inline(always)]
    fn ints(values: &[i32]) -> &[S::i32s] {
        S::as_simd_i32s(values).0
    }
    #[inline(always)]
    fn ints_mut(values: &mut [i32]) -> &mut [S::i32s] {
        S::as_mut_simd_i32s(values).0
    }
}

/// Plain arrays, for the instructions that every machine of the target has.
#[derive(Clone, Copy)]
pub(super) struct Portable;

const PORTABLE: usize = 8;
type Floats = [f32; PORTABLE];
type Ints = [i32; PORTABLE];

#[inline(always)]
fn each<A: Copy, B: Copy, C>(a: [A; PORTABLE], b: [B; PORTABLE], f: impl Fn(A, B) -> C) -> [C; PORTABLE] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

impl Lanes for Portable {
    type Floats = Floats;
    type Ints = Ints;
    const COUNT: usize = PORTABLE;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        [value; PORTABLE]
    }
    #[inline(always)]
    fn splat_int(self, value: i32) -> Ints {
        [value; PORTABLE]
    }
    #[inline(always)]
    fn multiply(self, a: Floats, b: Floats) -> Floats {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn truncate(self, x: Floats) -> Ints {
        x.map(|x| x as i32)
    }
    #[inline(always)]
    fn to_floats(self, x: Ints) -> Floats {
        x.map(|x| x as f32)
    }
    #[inline(always)]
    fn bits(self, x: Floats) -> Ints {
        x.map(|x| x.to_bits() as i32)
    }
    #[inline(always)]
    fn of_bits(self, x: Ints) -> Floats {
        x.map(|x| f32::from_bits(x as u32))
    }
    #[inline(always)]
    fn add(self, a: Ints, b: Ints) -> Ints {
        each(a, b, i32::wrapping_add)
    }
    #[inline(always)]
    fn subtract(self, a: Ints, b: Ints) -> Ints {
        each(a, b, i32::wrapping_sub)
    }
    #[inline(always)]
    fn max(self, a: Ints, b: Ints) -> Ints {
        each(a, b, i32::max)
    }
    #[inline(always)]
    fn min(self, a: Ints, b: Ints) -> Ints {
        each(a, b, i32::min)
    }
    #[inline(always)]
    fn and(self, a: Ints, b: Ints) -> Ints {
        each(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, a: Ints, b: Ints) -> Ints {
        each(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, a: Ints, b: Ints) -> Ints {
        each(a, b, |a, b| a ^ b)
    }
    #[inline(always)]
    fn abs(self, x: Ints) -> Ints {
        x.map(i32::wrapping_abs)
    }
    #[inline(always)]
    fn greater(self, a: Ints, b: Ints) -> Ints {
        each(a, b, |a, b| -i32::from(a > b))
    }
    #[inline(always)]
    fn to_field(self, x: Ints) -> Ints {
        x.map(|x| x << 23)
    }
    #[inline(always)]
    fn field_of(self, x: Ints) -> Ints {
        x.map(|x| (x as u32 >> 23) as i32)
    }
    #[inline(always)]
    fn negative(self, x: Ints) -> Ints {
        x.map(|x| x >> 31)
    }
    #[inline(always)]
    fn any(self, x: Ints) -> bool {
        x.iter().fold(0, |any, x| any | x) != 0
    }
    #[inline(always)]
    fn floats(values: &[f32]) -> &[Floats] {
        values.as_chunks().0
    }
    #[inline(always)]
    fn floats_mut(values: &mut [f32]) -> &mut [Floats] {
        values.as_chunks_mut().0
    }
    #[inline(always)]
    fn ints(values: &[i32]) -> &[Ints] {
        values.as_chunks().0
    }
    #[inline(always)]
    fn ints_mut(values: &mut [i32]) -> &mut [Ints] {
        values.as_chunks_mut().0
    }
}
