//! Operations of the forward and backward pass.

pub mod attention;
pub mod matmul;
pub mod rmsnorm;
