//! Tensor-core arithmetic of NVIDIA Hopper, bit for bit, on any CPU.
//!
//! One step D = A·B + C takes K products of a row of A with a column of B and
//! one value of C: K = 16 for bf16 and fp16, 8 for tf32, 32 for fp8.
//!
//! 0. Specials first: a NaN operand, 0·Inf, or infinities of both signs among
//!    the products and C give NaN 0x7FFFFFFF; otherwise an infinity gives that
//!    infinity.
//! 1. Every product is an exact significand with the exponent ea + eb, not
//!    normalised: it lies in [1, 4), or below 1 where an operand is subnormal,
//!    whose exponent is that of the smallest normal number. Products and C that
//!    are zero are dropped.
//! 2. emax is the largest of these exponents and that of C, and at least −133.
//! 3. The magnitude of every term is truncated toward zero to F fraction bits
//!    relative to 2^emax: F = 25, for fp8 13.
//! 4. The terms are added exactly. The sum is truncated toward zero to 23
//!    fraction bits (fp8: 13), the exponent being at least −126. A zero, of
//!    either kind, gives +0; an exponent above 127 gives an infinity.
//!
//! A chain is one step after the other, D becoming C. It agrees with `wgmma` on
//! an H200 in every one of 634,880 outputs; a subset of them is a test.
//!
//! [`step`] is this text as a program. [`chain`] computes whole matrices with
//! vector instructions and gives the same bits. What it computes in floats is
//! exact: a product of two significands of at most 12 bits, a multiplication by
//! a power of two, an integer below 2^24. Where that could fail (a term beyond
//! [2^-100, 2^120], a special, a sum beyond 2^31) the element is left to
//! [`step`].
//!
//! Other processors differ: Ampere aligns 8 products at a time to 24 bits,
//! Blackwell keeps more bits. Neither is here; each would be another [`Format`]
//! parameter set beside [`Format::parameters`], and its own vectors.

mod chain;
mod format;
mod lanes;
mod step;
mod tile;

pub use chain::{Scratch, chain};
pub use format::{Format, Parameters};
pub use step::step;

#[cfg(test)]
mod tests;
