//! The text of a golden file: the layout of an insta snapshot.

use super::{Golden, Info};
use contract::request::Part;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Where goldens are tried, as insta's review shows it.
const SOURCE: &str = "suite/tests/determinism/main.rs";
const RULE: &str = "---\n";

#[derive(Debug, Error)]
pub enum GoldenError {
    #[error("no golden {path}. Make it with `cargo xtask bless` and say why; no test makes one.")]
    Missing { path: PathBuf },
    #[error("cannot read golden {path}: {message}")]
    Read { path: PathBuf, message: String },
    #[error("golden is not valid: {0}")]
    Parse(String),
}

/// The header that insta knows.
#[derive(Serialize, Deserialize)]
struct Header {
    source: String,
    description: String,
    info: Info,
}

impl Golden {
    /// The text of the file.
    #[must_use]
    pub fn render(&self) -> String {
        let description = match &self.info.part {
            Part::Kernel(room) => format!("Inputs and outputs of every case of room {room}"),
            part => format!("State and scalars of recipe {}, part {part}", self.info.of),
        };
        let header = Header { source: SOURCE.to_owned(), description, info: self.info.clone() };
        let yaml = serde_yaml::to_string(&header).expect("a header is plain data");
        let mut text = format!("{RULE}{yaml}{RULE}");
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When the header is missing or not valid, or there is no line.
    pub fn parse(text: &str) -> Result<Self, GoldenError> {
        let broken = |message: &str| GoldenError::Parse(message.to_owned());
        let (yaml, body) = text
            .strip_prefix(RULE)
            .and_then(|text| text.split_once("\n---\n"))
            .ok_or_else(|| broken("no header between two `---` lines"))?;
        let header: Header = serde_yaml::from_str(yaml).map_err(|error| broken(&error.to_string()))?;
        let lines: Vec<String> = body.lines().map(str::to_owned).collect();
        if lines.is_empty() || lines.iter().any(String::is_empty) {
            return Err(broken("it has no values, or an empty line"));
        }
        Ok(Self { info: header.info, lines })
    }

    /// Reads a golden file.
    ///
    /// # Errors
    /// When it does not exist, cannot be read, or is not valid.
    pub fn read(path: &Path) -> Result<Self, GoldenError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(GoldenError::Missing { path: path.to_owned() });
            }
            Err(error) => return Err(GoldenError::Read { path: path.to_owned(), message: error.to_string() }),
        };
        Self::parse(&text).map_err(|error| GoldenError::Read { path: path.to_owned(), message: error.to_string() })
    }
}
