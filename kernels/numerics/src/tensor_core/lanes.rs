//! The vector operations of a step: fp32 and 32-bit integers side by side.

use pulp::cast;

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
    /// Whether any lane is not zero.
    fn any(self, x: Self::Ints) -> bool;
    /// The whole registers of a slice.
    fn floats(values: &[f32]) -> &[Self::Floats];
    fn floats_mut(values: &mut [f32]) -> &mut [Self::Floats];
    fn ints(values: &[i32]) -> &[Self::Ints];
    fn ints_mut(values: &mut [i32]) -> &mut [Self::Ints];
}

/// Both x86 units have the same operations under other names.
#[cfg(target_arch = "x86_64")]
macro_rules! x86 {
    (
        $unit:ty, $floats:ty, $ints:ty, $count:literal, $set:ident, $integers:ident,
        $splat:ident, $splat_int:ident, $multiply:ident, $truncate:ident, $to_floats:ident,
        $add:ident, $subtract:ident, $max:ident, $min:ident, $and:ident, $or:ident, $xor:ident, $abs:ident,
        $shift_left:ident, $shift_right:ident, $shift_sign:ident,
        greater: |$unit_g:ident, $a:ident, $b:ident| $greater:expr,
        any: |$unit_a:ident, $x:ident| $any:expr
    ) => {
        impl Lanes for $unit {
            type Floats = $floats;
            type Ints = $ints;
            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(self, value: f32) -> $floats {
                cast(self.$set.$splat(value))
            }
            #[inline(always)]
            fn splat_int(self, value: i32) -> $ints {
                cast(self.$set.$splat_int(value))
            }
            #[inline(always)]
            fn multiply(self, a: $floats, b: $floats) -> $floats {
                cast(self.$set.$multiply(cast(a), cast(b)))
            }
            #[inline(always)]
            fn truncate(self, x: $floats) -> $ints {
                cast(self.$set.$truncate(cast(x)))
            }
            #[inline(always)]
            fn to_floats(self, x: $ints) -> $floats {
                cast(self.$set.$to_floats(cast(x)))
            }
            #[inline(always)]
            fn bits(self, x: $floats) -> $ints {
                cast(x)
            }
            #[inline(always)]
            fn of_bits(self, x: $ints) -> $floats {
                cast(x)
            }
            #[inline(always)]
            fn add(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$add(cast(a), cast(b)))
            }
            #[inline(always)]
            fn subtract(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$subtract(cast(a), cast(b)))
            }
            #[inline(always)]
            fn max(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$max(cast(a), cast(b)))
            }
            #[inline(always)]
            fn min(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$min(cast(a), cast(b)))
            }
            #[inline(always)]
            fn and(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$and(cast(a), cast(b)))
            }
            #[inline(always)]
            fn or(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$or(cast(a), cast(b)))
            }
            #[inline(always)]
            fn xor(self, a: $ints, b: $ints) -> $ints {
                cast(self.$integers.$xor(cast(a), cast(b)))
            }
            #[inline(always)]
            fn abs(self, x: $ints) -> $ints {
                cast(self.$integers.$abs(cast(x)))
            }
            #[inline(always)]
            fn greater(self, $a: $ints, $b: $ints) -> $ints {
                let $unit_g = self;
                $greater
            }
            #[inline(always)]
            fn to_field(self, x: $ints) -> $ints {
                cast(self.$integers.$shift_left::<23>(cast(x)))
            }
            #[inline(always)]
            fn field_of(self, x: $ints) -> $ints {
                cast(self.$integers.$shift_right::<23>(cast(x)))
            }
            #[inline(always)]
            fn negative(self, x: $ints) -> $ints {
                cast(self.$integers.$shift_sign::<31>(cast(x)))
            }
            #[inline(always)]
            fn any(self, $x: $ints) -> bool {
                let $unit_a = self;
                $any
            }
            #[inline(always)]
            fn floats(values: &[f32]) -> &[$floats] {
                <$unit as pulp::Simd>::as_simd_f32s(values).0
            }
            #[inline(always)]
            fn floats_mut(values: &mut [f32]) -> &mut [$floats] {
                <$unit as pulp::Simd>::as_mut_simd_f32s(values).0
            }
            #[inline(always)]
            fn ints(values: &[i32]) -> &[$ints] {
                <$unit as pulp::Simd>::as_simd_i32s(values).0
            }
            #[inline(always)]
            fn ints_mut(values: &mut [i32]) -> &mut [$ints] {
                <$unit as pulp::Simd>::as_mut_simd_i32s(values).0
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86!(
    pulp::x86::V3, pulp::f32x8, pulp::i32x8, 8, avx, avx2,
    _mm256_set1_ps, _mm256_set1_epi32, _mm256_mul_ps, _mm256_cvttps_epi32, _mm256_cvtepi32_ps,
    _mm256_add_epi32, _mm256_sub_epi32, _mm256_max_epi32, _mm256_min_epi32,
    _mm256_and_si256, _mm256_or_si256, _mm256_xor_si256, _mm256_abs_epi32,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_srai_epi32,
    greater: |unit, a, b| cast(unit.avx2._mm256_cmpgt_epi32(cast(a), cast(b))),
    any: |unit, x| unit.avx._mm256_testz_si256(cast(x), cast(x)) == 0
);

#[cfg(target_arch = "x86_64")]
x86!(
    pulp::x86::V4, pulp::f32x16, pulp::i32x16, 16, avx512f, avx512f,
    _mm512_set1_ps, _mm512_set1_epi32, _mm512_mul_ps, _mm512_cvttps_epi32, _mm512_cvtepi32_ps,
    _mm512_add_epi32, _mm512_sub_epi32, _mm512_max_epi32, _mm512_min_epi32,
    _mm512_and_si512, _mm512_or_si512, _mm512_xor_si512, _mm512_abs_epi32,
    _mm512_slli_epi32, _mm512_srli_epi32, _mm512_srai_epi32,
    greater: |unit, a, b| {
        cast(unit.avx512dq._mm512_movm_epi32(unit.avx512f._mm512_cmpgt_epi32_mask(cast(a), cast(b))))
    },
    any: |unit, x| unit.avx512f._mm512_test_epi32_mask(cast(x), cast(x)) != 0
);

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
