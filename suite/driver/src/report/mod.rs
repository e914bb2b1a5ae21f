//! What a person or a machine learns of a call of the suite.
//!
//! [`Event`]s are the only bridge between doing and telling: the harness emits them, reporters consume them. The
//! terminal tells them as they come; [`Collector`] folds them into a [`Report`], from which the files are rendered by
//! pure functions: JSON, JUnit, HTML, a step summary and annotations for GitHub. No reporter changes a verdict.

mod collect;
mod event;
mod files;
mod github;
mod heat;
mod html;
mod junit;
mod model;
mod table;
mod terminal;

#[cfg(test)]
mod tests;

pub use collect::Collector;
pub use event::{Bus, Event, Reporter};
pub use files::{Files, write_all};
pub use github::{annotations, step_summary};
pub use heat::{Cell, HeatMap};
pub use html::html;
pub use junit::junit;
pub use model::{Estimate, KillCounts, NotCompared, RecipeReport, Report, TrialReport, schema};
pub use table::{closing, table};
pub use terminal::{Style, Terminal};
