//! Operations of the forward and backward pass.

pub mod boundary;
pub mod rmsnorm;
