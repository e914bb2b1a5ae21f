//! Operations of the forward and backward pass.

pub mod accumulate;
pub mod attention;
pub mod attention_tc16;
pub mod boundary;
pub mod cast;
pub mod cross_entropy;
pub mod dropout;
pub mod embedding;
pub mod grad_add;
pub mod leaf_reduce;
pub mod matmul;
pub mod matmul_tc16;
pub mod residual_add;
pub mod rmsnorm;
pub mod rope;
pub mod squared_relu;
pub mod swiglu;
