//! Operations of the forward and backward pass.

pub mod matmul;
pub mod rmsnorm;
