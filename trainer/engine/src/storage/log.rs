//! Writer of the storage log; its format is [`contract::storage`].

use super::StorageError;
use contract::storage::{DATA, LOG, Line};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    data: PathBuf,
}

impl Log {
    pub fn create(run_directory: &Path) -> Result<Self, StorageError> {
        let (path, data) = (run_directory.join(LOG), run_directory.join(DATA));
        let create = || {
            std::fs::create_dir_all(&data)?;
            File::create(&path)
        };
        match create() {
            Ok(file) => Ok(Self { file, path, data }),
            Err(source) => Err(StorageError::Log { path, source }),
        }
    }

    /// Keeps the bytes of a write and returns their digest.
    pub fn keep(&self, bytes: &[u8]) -> Result<String, StorageError> {
        let digest = blake3::hash(bytes).to_hex().to_string();
        let path = self.data.join(&digest);
        let write = || if path.exists() { Ok(()) } else { std::fs::write(&path, bytes) };
        match write() {
            Ok(()) => Ok(digest),
            Err(source) => Err(self.error(source)),
        }
    }

    /// Appends one line in one write, so that a killed run leaves whole lines.
    pub fn append(&mut self, line: &Line) -> Result<(), StorageError> {
        let mut text = serde_json::to_vec(line).expect("a log line is plain data");
        text.push(b'\n');
        self.file.write_all(&text).map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> StorageError {
        StorageError::Log { path: self.path.clone(), source }
    }
}
