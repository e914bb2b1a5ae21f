//! Operations of the forward and backward pass.

pub mod cast;
pub mod grad_add;
pub mod residual_add;
pub mod rmsnorm;
pub mod squared_relu;
