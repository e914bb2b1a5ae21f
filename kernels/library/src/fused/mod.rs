//! Kernels that replace a chain of two and give the same bits.

pub mod head_cross_entropy;
pub mod head_cross_entropy_tc16;
pub mod residual_rmsnorm;
pub mod swiglu_matmul;
pub mod swiglu_matmul_tc16;
