//! The passes that turn a forward graph into a plan. Each is a function over nodes and values.

pub mod backward;
pub mod builder;
pub mod fuse;
pub mod memory;
pub mod mutate;
pub mod optimizer;
pub mod precision;
pub mod recompute;
pub mod select;
