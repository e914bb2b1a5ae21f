//! Activations as rounded steps over the correctly rounded functions.
//!
//! RN is one fp32 rounding. Every step is written out, so two implementations
//! that follow the formulas agree in every bit.
//!
//! - sigmoid(x) = RN(1 / RN(1 + exp(−x)))
//! - silu(x) = RN(x · sigmoid(x))
//! - silu_grad(x) = RN(s · RN(1 + RN(x · RN(1 − s)))), s = sigmoid(x)
//! - softplus(x) = RN(max(x, +0) + log1p(exp(−|x|)))
//!
//! Limits follow from the steps: sigmoid(−infinity) is +0, silu(−infinity) and
//! silu_grad(±infinity) are NaN because infinity meets zero there. A NaN result
//! is canonical.

use super::exp::{LANES, by_lanes, exp_lanes};
use super::{exp, log1p};
use crate::format::{canonical, max};

/// RN(1 / RN(1 + exp(−x))).
#[inline]
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    sigmoid_of(exp(-x))
}

/// RN(x · sigmoid(x)).
#[inline]
#[must_use]
pub fn silu(x: f32) -> f32 {
    canonical(x * sigmoid(x))
}

/// Derivative of [`silu`]: RN(s · RN(1 + RN(x · RN(1 − s)))), s = sigmoid(x).
#[inline]
#[must_use]
pub fn silu_grad(x: f32) -> f32 {
    silu_grad_of(x, sigmoid(x))
}

/// RN(max(x, +0) + log1p(exp(−|x|))).
#[inline]
#[must_use]
pub fn softplus(x: f32) -> f32 {
    canonical(max(x, 0.0) + log1p(exp(-x.abs())))
}

#[inline(always)]
fn sigmoid_of(exp_minus_x: f32) -> f32 {
    canonical(1.0 / (1.0 + exp_minus_x))
}

#[inline(always)]
fn silu_grad_of(x: f32, s: f32) -> f32 {
    canonical(s * (1.0 + x * (1.0 - s)))
}

macro_rules! slice_form {
    ($name:ident, $lanes:ident, $scalar:ident, |$x:ident, $s:ident| $value:expr) => {
        #[doc = concat!("[`", stringify!($scalar), "`] of every element.")]
        ///
        /// # Panics
        /// When the lengths differ.
        #[inline(always)]
        pub fn $name(values: &[f32], out: &mut [f32]) {
            assert_eq!(values.len(), out.len(), "source and destination lengths");
            by_lanes!(values, out, $lanes);
        }

        #[inline(always)]
        fn $lanes(values: &[f32; LANES]) -> [f32; LANES] {
            let mut negated = *values;
            negated.iter_mut().for_each(|x| *x = -*x);
            let mut out = exp_lanes(&negated);
            for (slot, &$x) in out.iter_mut().zip(values) {
                let $s = sigmoid_of(*slot);
                *slot = $value;
            }
            out
        }
    };
}

slice_form!(sigmoid_slice, sigmoid_lanes, sigmoid, |_x, s| s);
slice_form!(silu_slice, silu_lanes, silu, |x, s| canonical(x * s));
slice_form!(silu_grad_slice, silu_grad_lanes, silu_grad, |x, s| silu_grad_of(x, s));
