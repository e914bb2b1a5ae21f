//! How far a stored tensor is from its f64 value, gathered over elements, calls and steps. It says how large an error
//! is and not whether it is too large; the bound of an oracle does that.

use crate::tensor::{Dtype, View};

#[cfg(test)]
mod tests;

/// Errors of one tensor. Sums are taken in f64, elements ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distance {
    pub elements: u64,
    /// Elements that are NaN or infinite on one side only, or differently; they enter nothing else.
    pub not_finite: u64,
    /// Largest |found − expected|, in the tensor's own unit.
    pub max_abs: f64,
    /// Largest |found − expected| in units in the last place (ulp) of the storage format at the expected value.
    pub max_ulp: f64,
    square_error: f64,
    square_expected: f64,
}

impl Distance {
    /// Adds the elements of a float tensor and what they should be, in the same order.
    ///
    /// # Panics
    /// When the two have different lengths, or the tensor holds integers.
    pub fn add(&mut self, found: &View<'_>, expected: &[f64]) {
        let floats = found.floats();
        assert_eq!(floats.len(), expected.len(), "a tensor and its f64 values have one shape");
        for (index, expected) in expected.iter().copied().enumerate() {
            let found_value = f64::from(floats.get(index));
            if !found_value.is_finite() || !expected.is_finite() {
                let same = found_value == expected || (found_value.is_nan() && expected.is_nan());
                self.not_finite += u64::from(!same);
                continue;
            }
            let error = (found_value - expected).abs();
            self.elements += 1;
            self.max_abs = self.max_abs.max(error);
            self.max_ulp = self.max_ulp.max(error / ulp(found.spec.dtype, expected));
            self.square_error += error * error;
            self.square_expected += expected * expected;
        }
    }

    /// Adds what another call or step gathered of the same tensor.
    pub fn merge(&mut self, other: &Self) {
        self.elements += other.elements;
        self.not_finite += other.not_finite;
        self.max_abs = self.max_abs.max(other.max_abs);
        self.max_ulp = self.max_ulp.max(other.max_ulp);
        self.square_error += other.square_error;
        self.square_expected += other.square_expected;
    }

    /// √(Σ error² / Σ expected²): the error relative to the tensor's size. `None` when it should be zero everywhere
    /// and is not.
    #[must_use]
    pub fn relative_rms(&self) -> Option<f64> {
        if self.square_error == 0.0 {
            return Some(0.0);
        }
        (self.square_expected > 0.0).then(|| (self.square_error / self.square_expected).sqrt())
    }

    /// The root mean square of the error, in ulp of the storage format at the root mean square of the tensor: below
    /// about 0.6 it is the rounding of the storage alone, above it errors came in with the operands.
    #[must_use]
    pub fn rms_ulp(&self, dtype: Dtype) -> f64 {
        if self.elements == 0 {
            return 0.0;
        }
        let count = self.elements as f64;
        (self.square_error / count).sqrt() / ulp(dtype, (self.square_expected / count).sqrt())
    }
}

/// Distance between neighbouring numbers of a float format at `value`; that of the smallest normal number below it.
fn ulp(dtype: Dtype, value: f64) -> f64 {
    let (bits, smallest) = match dtype {
        Dtype::Bf16 => (8, -126),
        Dtype::Fp16 => (11, -14),
        _ => (24, -126),
    };
    let exponent = (value.to_bits() >> 52 & 0x7FF) as i64 - 1023;
    let last_place = exponent.max(smallest) - (bits - 1);
    f64::from_bits(((last_place + 1023) as u64) << 52)
}
