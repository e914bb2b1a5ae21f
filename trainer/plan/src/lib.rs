//! From a recipe to a plan: an explicit, printable list of nodes with every buffer's lifetime.
//!
//! A plan is a pure function of the recipe, the part and the mutations. Nothing in it depends on the machine, the
//! clock or the environment. Passes turn the forward graph into a plan: fuse, backward, recompute, optimizer, select,
//! mutate, memory. Nothing here computes a tensor.
#![forbid(unsafe_code)]

pub mod assemble;
pub mod comparable;
pub mod describe;
pub mod graph;
pub mod model;
pub mod passes;
pub mod recipe;
pub mod render;
pub mod semantics;

#[cfg(test)]
mod tests;

pub use assemble::assemble;
pub use graph::{HostAction, Node, Phase, Plan, PlanError, Template, Value, ValueKind};
pub use recipe::Recipe;
