//! Float arithmetic of the workspace, defined bit for bit.
//!
//! Every rounding, every order of addition and every elementary function that
//! a kernel may use lives here, once. The rooms of `library` compose these
//! parts; they do not spell their own sums, casts or exponentials.
//!
//! - [`format`](mod@format): bf16 and fp16 storage, canonical NaN, integer order keys.
//! - [`sum`]: the named orders of addition.
//! - [`math`]: correctly rounded elementary functions and `exp2.poly5.v1`.
//! - [`philox`]: the counter-based random streams.
//! - [`simd`]: which vector instructions a kernel is compiled for.
//! - [`gemm`]: the `chain` matrix product.
//! - [`tensor_core`]: the arithmetic of Hopper's tensor cores, and `tc16` matrix products.
//!
//! It does not do input or output, read a clock or the environment, start
//! threads, or hold `unsafe` code. No result depends on the vector width.
#![forbid(unsafe_code)]

pub mod format;
pub mod gemm;
pub mod math;
pub mod philox;
pub mod simd;
pub mod sum;
pub mod tensor_core;
