//! Fusions: kernels that replace a chain of two and give the same bits.

pub mod residual_rmsnorm;
