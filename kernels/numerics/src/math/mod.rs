//! Elementary functions.
//!
//! [`exp`], [`log`], [`log1p`], [`tanh`], [`sin`], [`cos`], [`rsqrt`], [`erf`]
//! and [`pow`] are correctly rounded: the result is the exact value rounded once
//! to fp32, ties to even. The definition names no algorithm, so any correctly
//! rounded implementation, on any machine, is equal to it. A NaN result is
//! canonical.
//!
//! - [`activation`]: sigmoid, SiLU and softplus as rounded steps over these.
//! - [`exp_slice`]: the exponential for whole slices.
//! - [`exp2_poly5`]: the contract `exp2.poly5.v1`, about 2 ulp, for inner loops.
//!
//! Slice functions are compiled for the vector width of their caller: call them
//! inside a [`vectorised!`](crate::vectorised) kernel. No result depends on it.
//! They do not use the platform's mathematical library. On x86-64 the proof that
//! they are correctly rounded holds on processors with fma instructions, found
//! at run time.

pub mod activation;
mod exp;
mod exp2;

pub use exp::{exp, exp_slice};
pub use exp2::{exp2_poly5, exp2_poly5_slice};

use crate::format::canonical;

/// Natural logarithm; −infinity at ±0, NaN below zero.
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    canonical(metallic::logf(x))
}

/// log(1 + x); −infinity at −1, NaN below.
#[inline]
#[must_use]
pub fn log1p(x: f32) -> f32 {
    canonical(metallic::log1pf(x))
}

/// Hyperbolic tangent.
#[inline]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    canonical(metallic::tanhf(x))
}

/// Sine of x radians, for every finite x; NaN at infinity.
#[inline]
#[must_use]
pub fn sin(x: f32) -> f32 {
    canonical(metallic::sinf(x))
}

/// Cosine of x radians, for every finite x; NaN at infinity.
#[inline]
#[must_use]
pub fn cos(x: f32) -> f32 {
    canonical(metallic::cosf(x))
}

/// 1/√x rounded once; ±infinity at ±0, NaN below zero.
#[inline]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    canonical(metallic::rsqrtf(x))
}

/// Gauss error function.
#[inline]
#[must_use]
pub fn erf(x: f32) -> f32 {
    canonical(metallic::erff(x))
}

/// x to the power y, with the special values of IEEE 754 `pow`.
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    canonical(metallic::powf(x, y))
}

#[cfg(test)]
mod tests;
