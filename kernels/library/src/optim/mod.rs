//! What happens once a step: parameters drawn, gradients measured, clipped and applied, schedules and loss scales.

pub mod adamw;
pub mod clip;
pub mod ema;
pub mod global_norm;
pub mod init;
pub mod loss_weights;
pub mod scaler;
pub mod schedule;

#[cfg(test)]
mod walk;

/// Elements of one task of an elementwise kernel. No bit depends on it.
const CHUNK: usize = 1 << 14;
