//! Reading checkpoint directories.

use super::StorageError;
use contract::storage::Act;
use std::io;
use std::path::{Path, PathBuf};

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub name: String,
    pub is_directory: bool,
    /// Length of a file; 0 of a directory.
    pub bytes: u64,
}

/// Something that gives the content of a checkpoint directory. Paths are relative to it.
pub trait Source {
    /// The bytes of a file.
    ///
    /// # Errors
    /// When it cannot be read. A file that does not exist is `Ok(None)`.
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, StorageError>;

    /// The entries of a directory, by name.
    ///
    /// # Errors
    /// When it cannot be read. A directory that does not exist is `Ok(None)`.
    fn list(&mut self, path: &str) -> Result<Option<Vec<Entry>>, StorageError>;
}

/// A source without kill points, log or injected errors: for loading and for inspection.
#[derive(Clone, Debug)]
pub struct Reader {
    root: PathBuf,
}

impl Reader {
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn error(&self, act: &Act, source: io::Error) -> StorageError {
        let (operation, target) = (act.name(), act.target());
        StorageError::Operation { operation, target, root: self.root.clone(), ordinal: None, source }
    }
}

impl Source for Reader {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, StorageError> {
        existing(std::fs::read(self.root.join(path)))
            .map_err(|source| self.error(&Act::Read { path: path.to_owned() }, source))
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<Entry>>, StorageError> {
        existing(entries(&self.root.join(path)))
            .map_err(|source| self.error(&Act::List { path: path.to_owned() }, source))
    }
}

/// `Ok(None)` for what does not exist.
pub(super) fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn entries(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = std::fs::read_dir(directory)?
        .map(|entry| {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let is_directory = metadata.is_dir();
            let bytes = if is_directory { 0 } else { metadata.len() };
            Ok(Entry { name: entry.file_name().to_string_lossy().into_owned(), is_directory, bytes })
        })
        .collect::<io::Result<Vec<_>>>()?;
    // The order of a directory is the file system's business and must not matter.
    entries.sort();
    Ok(entries)
}
