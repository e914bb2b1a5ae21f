//! Two recipes that differ in their precision, side by side: each is run for real, with an f64 shadow along with it.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`model`] | the report as data |
//! | [`runs`] | makes the two runs |
//! | [`gather`] | puts what they left behind side by side |
//! | [`text`], [`plot`], [`page`] | tell it |
//!
//! It gives no verdict: how much error a precision may have is a decision of people. Floats are compared and
//! subtracted here, for people; nothing that is judged depends on them.

mod gather;
mod model;
mod page;
mod plot;
mod runs;
mod text;

#[cfg(test)]
mod tests;

pub use model::{Errors, Losses, PrecisionReport, SideReport, TensorRow, schema};
pub use runs::{Comparison, Side};
pub use text::text;

use crate::runner::{RunError, Runner};
use contract::verdict::Verdict;
use judge::EvidenceError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum PrecisionError {
    #[error("recipe {name}: {source}")]
    Run { name: String, source: RunError },
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error("{path} is no shadow of a run: {message}")]
    Shadow { path: PathBuf, message: String },
    #[error("cannot write the report {path}: {message}")]
    Write { path: PathBuf, message: String },
}

impl PrecisionError {
    /// The verdict whose exit code the error has.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Run { .. } | Self::Write { .. } => Verdict::Infra,
            Self::Evidence(_) | Self::Shadow { .. } => Verdict::Invalid,
        }
    }
}

/// Makes both runs in `out`, and leaves `precision.json`, `precision.html` and `loss.svg` there.
///
/// # Errors
/// When a run fails, leaves no evidence, or a file cannot be written.
pub fn compare(runner: &Runner, comparison: &Comparison, out: &Path) -> Result<PrecisionReport, PrecisionError> {
    let made = runs::make(runner, comparison, out)?;
    let report = gather::gather(comparison, &made)?;
    let svg = plot::plot(&report);
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        std::fs::write(&path, text).map_err(|error| PrecisionError::Write { path, message: error.to_string() })
    };
    write("precision.json", &json(&report))?;
    write("loss.svg", &svg)?;
    write("precision.html", &page::page(&report, &svg))?;
    Ok(report)
}

/// The report as JSON, as its schema says.
#[must_use]
pub fn json(report: &PrecisionReport) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report is plain data");
    text.push('\n');
    text
}
