//! Changes to a tree, collected first and saved together, so that a refusal leaves nothing half written.

use super::NewError;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Tree {
    root: PathBuf,
    changed: BTreeMap<String, String>,
}

impl Tree {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), changed: BTreeMap::new() }
    }

    pub fn exists(&self, path: &str) -> bool {
        self.changed.contains_key(path) || self.root.join(path).exists()
    }

    /// The text of a file, with the changes so far.
    pub fn read(&self, path: &str) -> Result<String, NewError> {
        if let Some(text) = self.changed.get(path) {
            return Ok(text.clone());
        }
        let path = self.root.join(path);
        fs::read_to_string(&path).map_err(|source| NewError::Io { path, source })
    }

    pub fn create(&mut self, path: &str, text: String) -> Result<(), NewError> {
        if self.exists(path) {
            return Err(NewError::Exists { path: path.to_owned() });
        }
        self.changed.insert(path.to_owned(), text);
        Ok(())
    }

    pub fn change(&mut self, path: &str, text: String) {
        self.changed.insert(path.to_owned(), text);
    }

    /// Puts a line among those that start with `prefix`, in order; `fallback` is the line before which it goes when
    /// there is none.
    pub fn insert_line(&mut self, path: &str, prefix: &str, line: &str, fallback: &str) -> Result<(), NewError> {
        let text = self.read(path)?;
        let mut lines: Vec<&str> = text.lines().collect();
        let alike = |other: &&str| other.starts_with(prefix);
        let after = lines.iter().rposition(|other| alike(other) && *other < line).map(|at| at + 1);
        let place = after
            .or_else(|| lines.iter().position(alike))
            .or_else(|| lines.iter().position(|other| other.trim() == fallback));
        let Some(place) = place else {
            let expected = format!("a line that starts with `{prefix}`, or `{fallback}`");
            return Err(NewError::Form { path: path.to_owned(), expected });
        };
        lines.insert(place, line);
        self.change(path, lines.join("\n") + "\n");
        Ok(())
    }

    /// Writes every changed file and returns their paths.
    pub fn save(&self) -> Result<Vec<String>, NewError> {
        for (path, text) in &self.changed {
            let path = self.root.join(path);
            let failed = |source| NewError::Io { path: path.clone(), source };
            fs::create_dir_all(path.parent().unwrap_or(&self.root)).map_err(failed)?;
            fs::write(&path, text).map_err(failed)?;
        }
        Ok(self.changed.keys().cloned().collect())
    }
}
