//! Operations of the forward and backward pass.

pub mod rmsnorm;
