//! Formats of elements, as integers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Layout of one element: bytes, and for floats the widths of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub bytes: usize,
    /// 0 for integers.
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    /// Two's complement, when it is an integer.
    pub signed: bool,
}

/// The fields of one element. For integers, sign and exponent are 0 and the mantissa is the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BitFields {
    pub bits: u64,
    pub sign: u64,
    pub exponent: u64,
    pub mantissa: u64,
}

impl Format {
    /// The format of a dtype's name; `None` when it is not known.
    #[must_use]
    pub fn of(dtype: &str) -> Option<Self> {
        let float = |bytes, exponent_bits, mantissa_bits| Self { bytes, exponent_bits, mantissa_bits, signed: true };
        let integer = |bytes, signed| Self { bytes, exponent_bits: 0, mantissa_bits: 8 * bytes as u32, signed };
        Some(match dtype {
            "f64" => float(8, 11, 52),
            "f32" => float(4, 8, 23),
            "bf16" => float(2, 8, 7),
            "f16" | "fp16" => float(2, 5, 10),
            "e4m3" | "f8e4m3" => float(1, 4, 3),
            "e5m2" | "f8e5m2" => float(1, 5, 2),
            "u64" => integer(8, false),
            "u32" => integer(4, false),
            "u16" => integer(2, false),
            "u8" | "bool" => integer(1, false),
            "i64" => integer(8, true),
            "i32" => integer(4, true),
            "i16" => integer(2, true),
            "i8" => integer(1, true),
            _ => return None,
        })
    }

    const fn width(self) -> u32 {
        8 * self.bytes as u32
    }

    /// An integer that orders elements as their values do, with -0 just below +0.
    fn key(self, bits: u64) -> u64 {
        let sign = 1 << (self.width() - 1);
        let all = u64::MAX >> (64 - self.width());
        match (self.exponent_bits, self.signed, bits & sign != 0) {
            (0, false, _) => bits,
            (0, true, _) => bits ^ sign,
            (_, _, true) => !bits & all,
            (_, _, false) => bits | sign,
        }
    }

    /// Steps from one representable value to the other.
    #[must_use]
    pub fn ulp_distance(self, left: u64, right: u64) -> u64 {
        self.key(left).abs_diff(self.key(right))
    }

    #[must_use]
    pub fn fields(self, bits: u64) -> BitFields {
        if self.exponent_bits == 0 {
            return BitFields { bits, sign: 0, exponent: 0, mantissa: bits };
        }
        BitFields {
            bits,
            sign: bits >> (self.width() - 1),
            exponent: (bits >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1),
            mantissa: bits & ((1 << self.mantissa_bits) - 1),
        }
    }
}
