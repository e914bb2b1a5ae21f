//! Writes the files of a report.

use super::github::step_summary;
use super::html::html;
use super::junit::junit;
use super::model::Report;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where the files of a report go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    pub json: PathBuf,
    pub junit: PathBuf,
    pub html: PathBuf,
    /// A second copy of the JSON, where the user wants it.
    pub json_copy: Option<PathBuf>,
    /// GitHub's file of the step summary; it is appended to.
    pub summary: Option<PathBuf>,
}

impl Files {
    /// `report.json`, `junit.xml` and `report.html` in a folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            json: folder.join("report.json"),
            junit: folder.join("junit.xml"),
            html: folder.join("report.html"),
            json_copy: None,
            summary: None,
        }
    }
}

/// Writes all files, replacing old ones.
///
/// # Errors
/// The first file that cannot be written, by name.
pub fn write_all(files: &Files, report: &Report) -> Result<(), String> {
    let mut json = serde_json::to_string_pretty(report).expect("a report is plain data");
    json.push('\n');
    write(&files.json, &json)?;
    if let Some(copy) = &files.json_copy {
        write(copy, &json)?;
    }
    write(&files.junit, &junit(report))?;
    write(&files.html, &html(report))?;
    if let Some(summary) = &files.summary {
        let append =
            || OpenOptions::new().create(true).append(true).open(summary)?.write_all(step_summary(report).as_bytes());
        append().map_err(|error| named(summary, &error))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text)).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("cannot write the report {}: {error}", path.display())
}
