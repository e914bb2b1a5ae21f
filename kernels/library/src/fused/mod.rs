//! Kernels that replace a chain of others and give the same bits.

pub mod head_cross_entropy;
