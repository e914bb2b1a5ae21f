//! Kernels that replace a chain of two and give the same bits.

pub mod swiglu_matmul;
