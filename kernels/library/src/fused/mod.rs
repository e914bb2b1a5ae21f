//! Kernels that replace a chain of two and give the same bits.

pub mod head_cross_entropy;
pub mod swiglu_matmul;
//! Fusions: kernels that replace a chain of two and give the same bits.

pub mod residual_rmsnorm;
