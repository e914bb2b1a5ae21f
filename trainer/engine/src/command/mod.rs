//! The commands of the trainer: `train`, `recipes`, `describe`, `plan`, `verify`.
//!
//! Each is a clap struct with a `run`. Errors come back as [`EngineError`]; printing them and exit codes are the
//! caller's.

mod curve;
mod doctor;
mod inspect;
mod pair;
mod train;

pub use doctor::DoctorCommand;
pub use inspect::{DescribeCommand, PlanCommand, RecipesCommand, VerifyCommand};
pub use pair::{Pair, PairOptions, Side, pair};
pub use train::TrainCommand;
