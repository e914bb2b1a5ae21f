//! Operations of the forward and backward pass.

pub mod cross_entropy;
pub mod rmsnorm;
