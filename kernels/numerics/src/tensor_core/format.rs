//! Operand formats: what a code means, and how a step treats it.

use crate::format::{NAN_BITS, canonical};

/// A format that Hopper's tensor cores multiply. The accumulator is always fp32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    Bf16,
    Fp16,
    /// fp32 with its last 13 fraction bits cleared.
    Tf32,
    /// 4 exponent and 3 fraction bits, without infinities.
    E4m3,
    /// 5 exponent and 2 fraction bits.
    E5m2,
}

/// What a step does with operands of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Products of one step.
    pub depth: usize,
    /// Exponent of the smallest normal operand; subnormal ones have it too.
    pub min_exponent: i32,
    /// Fraction bits of an operand.
    pub operand_bits: u32,
    /// Fraction bits that a term keeps, relative to the largest exponent.
    pub term_bits: i32,
    /// Fraction bits that the result keeps.
    pub result_bits: i32,
}

impl Format {
    pub const ALL: [Self; 5] = [Self::Bf16, Self::Fp16, Self::Tf32, Self::E4m3, Self::E5m2];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::Tf32 => "tf32",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
        }
    }

    #[must_use]
    pub const fn parameters(self) -> Parameters {
        let (depth, min_exponent, operand_bits) = match self {
            Self::Bf16 => (16, -126, 7),
            Self::Fp16 => (16, -14, 10),
            Self::Tf32 => (8, -126, 10),
            Self::E4m3 => (32, -6, 3),
            Self::E5m2 => (32, -14, 2),
        };
        let (term_bits, result_bits) = if depth == 32 { (13, 13) } else { (25, 23) };
        Parameters { depth, min_exponent, operand_bits, term_bits, result_bits }
    }

    /// Whether the format has this value. NaN counts, with any payload.
    #[must_use]
    pub fn holds(self, value: f32) -> bool {
        let Parameters { min_exponent, operand_bits, .. } = self.parameters();
        if value.is_nan() || value == 0.0 {
            return true;
        }
        let largest = match self {
            Self::Bf16 | Self::Tf32 => return value.to_bits().trailing_zeros() >= 23 - operand_bits,
            Self::Fp16 => 65_504.0,
            Self::E4m3 => return value.abs() <= 448.0 && self.is_multiple(value, min_exponent, operand_bits),
            Self::E5m2 => 57_344.0,
        };
        value.is_infinite() || value.abs() <= largest && self.is_multiple(value, min_exponent, operand_bits)
    }

    fn is_multiple(self, value: f32, min_exponent: i32, operand_bits: u32) -> bool {
        let exponent = ((value.to_bits() >> 23 & 0xFF) as i32 - 127).max(min_exponent);
        // A power of two within the exponents of f64.
        let unit = f64::from_bits(((exponent - operand_bits as i32 + 1023) as u64) << 52);
        (f64::from(value) / unit).fract() == 0.0
    }

    /// The value of a code, which stands in the low bits; exact. Every NaN becomes the canonical one.
    #[must_use]
    pub fn decode(self, code: u32) -> f32 {
        match self {
            Self::Bf16 => canonical(f32::from_bits(code << 16)),
            Self::Tf32 => canonical(f32::from_bits(code & 0xFFFF_E000)),
            Self::Fp16 => small(code, 5, 10, -14, true),
            Self::E5m2 => small(code, 5, 2, -14, true),
            Self::E4m3 if code & 0x7F == 0x7F => f32::from_bits(NAN_BITS),
            Self::E4m3 => small(code, 4, 3, -6, false),
        }
    }
}

/// A code of sign, `exponent_bits` and `fraction_bits`, whose smallest normal exponent is `min_exponent`.
fn small(code: u32, exponent_bits: u32, fraction_bits: u32, min_exponent: i32, specials: bool) -> f32 {
    let negative = code >> (exponent_bits + fraction_bits) & 1 == 1;
    let exponent = code >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = code & ((1 << fraction_bits) - 1);
    let magnitude = if specials && exponent == (1 << exponent_bits) - 1 {
        if fraction == 0 { f32::INFINITY } else { f32::from_bits(NAN_BITS) }
    } else {
        let (significand, power) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << fraction_bits, exponent as i32 - 1) };
        let unit = min_exponent + power - fraction_bits as i32;
        significand as f32 * f32::from_bits(((unit + 127) as u32) << 23)
    };
    if magnitude.is_nan() || !negative { magnitude } else { -magnitude }
}
