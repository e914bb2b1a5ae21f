//! All writing to a checkpoint directory. Nothing else in the trainer creates, writes, renames or removes a file there.
//!
//! Every operation, in this order: takes the next ordinal of the run and of the save; announces itself as a kill
//! point and waits; fails if the request says so; runs; is written to the log if the request says so. So a run that
//! is killed at a point has not carried out the operation that it names.
//!
//! Not here: which operations make a save and in which order (see [`crate::checkpoint`]), and retries: an error ends
//! the save, since a device that failed an `fsync` once may have dropped the data.

mod error;
mod log;
mod source;
#[cfg(test)]
mod tests;

pub use error::StorageError;
pub use source::{Entry, Reader, Source};

use crate::control::Control;
use contract::control::Point;
use contract::pointer::Pointer;
use contract::request::{StorageErrorKind, StorageFailure, StorageRequest};
use contract::storage::{Act, Line, Operation};
use log::Log;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes of one write, unless a save asks for less.
pub const CHUNK_BYTES: usize = 1 << 20;

/// The one writer of a checkpoint directory.
#[derive(Debug)]
pub struct Storage {
    root: PathBuf,
    control: Control,
    log: Option<Log>,
    failure: Option<StorageFailure>,
    /// A short write was injected: from now on every write finds a full device.
    full: bool,
    ordinal: u64,
    save: Save,
    /// Files that were written and not yet synced, by path. An `fsync` must use the handle that wrote, since only that
    /// one is sure to see an error of the write-back.
    handles: BTreeMap<String, File>,
    bytes_written: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Save {
    step: u64,
    ordinal: u64,
    asynchronous: bool,
}

impl Storage {
    /// Creates `root` if it does not exist. `control` is a connection of its own: see [`Control::clone_connection`].
    ///
    /// # Errors
    /// When the directory or the log cannot be created.
    pub fn open(
        root: &Path,
        request: &StorageRequest,
        run_directory: &Path,
        control: Control,
    ) -> Result<Self, StorageError> {
        let created = std::fs::create_dir_all(root).and_then(|()| sync_directory(root)).and_then(|()| {
            let parent = root.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            sync_directory(parent)
        });
        created.map_err(|source| StorageError::Operation {
            operation: "create_directory",
            target: ".".to_owned(),
            root: root.to_owned(),
            ordinal: None,
            source,
        })?;
        Ok(Self {
            root: root.to_owned(),
            control,
            log: request.log.then(|| Log::create(run_directory)).transpose()?,
            failure: request.fail,
            full: false,
            ordinal: 0,
            save: Save::default(),
            handles: BTreeMap::new(),
            bytes_written: 0,
        })
    }

    /// Starts a save: ordinals in the save count from 0 again.
    pub fn begin_save(&mut self, step: u64, asynchronous: bool) {
        self.save = Save { step, ordinal: 0, asynchronous };
        self.handles.clear();
    }

    /// Says that a save is durable and the newest one, to the driver and in the log. Waits for nobody.
    ///
    /// # Errors
    /// When the driver went away or the log cannot be written.
    pub fn committed(&mut self, pointer: &Pointer) -> Result<(), StorageError> {
        if let Some(log) = &mut self.log {
            log.append(&Line::Committed(pointer.clone()))?;
        }
        let manifest_digest = pointer.manifest_digest.clone();
        Ok(self.control.announce(Point::Committed { step: pointer.step, manifest_digest }, false)?)
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Operations so far, over the whole run.
    #[must_use]
    pub const fn operation_count(&self) -> u64 {
        self.ordinal
    }

    /// Bytes that were written so far.
    #[must_use]
    pub const fn bytes_written(&self) -> u64 {
        self.bytes_written
    }

    /// # Errors
    /// When the directory exists or cannot be created.
    pub fn create_directory(&mut self, path: &str) -> Result<(), StorageError> {
        self.run(Act::CreateDirectory { path: path.to_owned() }, |storage| std::fs::create_dir(storage.root.join(path)))
    }

    /// Creates a file and writes the concatenated `pieces`: one operation for the creation and one for each
    /// `chunk_bytes` bytes. Does not sync it.
    ///
    /// # Errors
    /// When the file exists, or cannot be created or written.
    pub fn write_file(&mut self, path: &str, pieces: &[&[u8]], chunk_bytes: usize) -> Result<(), StorageError> {
        self.run(Act::CreateFile { path: path.to_owned() }, |storage| {
            let file = OpenOptions::new().write(true).create_new(true).open(storage.root.join(path))?;
            storage.handles.insert(path.to_owned(), file);
            Ok(())
        })?;
        let mut offset = 0;
        for_each_chunk(pieces, chunk_bytes.max(1), |chunk| {
            // A write may take less than it was given; the rest is an operation of its own.
            let mut rest = chunk;
            while !rest.is_empty() {
                let taken = self.write_once(path, offset, rest)?;
                offset += taken as u64;
                rest = &rest[taken..];
            }
            Ok(())
        })
    }

    fn write_once(&mut self, path: &str, offset: u64, bytes: &[u8]) -> Result<usize, StorageError> {
        let digest = match &self.log {
            Some(log) => log.keep(bytes)?,
            None => String::new(),
        };
        let mut act = Act::Write { path: path.to_owned(), offset, length: bytes.len() as u64, digest };
        let short = self.failure.is_some_and(|failure| {
            failure.ordinal == self.ordinal && failure.error == StorageErrorKind::ShortWrite && bytes.len() > 1
        });
        self.announce(&act)?;
        let given = if short { &bytes[..bytes.len() / 2] } else { bytes };
        let result = match self.injected(short) {
            Some(error) => Err(error),
            None if self.full => Err(Errno::NOSPC.into()),
            None => write_some(self.handles.get_mut(path).expect("the file was created by this save"), given),
        };
        self.full |= short;
        match result {
            Ok(0) => self.finish(act, Err(io::ErrorKind::WriteZero.into())),
            Ok(taken) => {
                if taken < bytes.len() {
                    let digest = self.log.as_ref().map(|log| log.keep(&bytes[..taken])).transpose()?;
                    let (length, digest) = (taken as u64, digest.unwrap_or_default());
                    act = Act::Write { path: path.to_owned(), offset, length, digest };
                }
                self.bytes_written += taken as u64;
                self.finish(act, Ok(taken))
            }
            Err(error) => self.finish(act, Err(error)),
        }
    }

    /// # Errors
    /// When the bytes of the file cannot be made durable.
    pub fn sync_file(&mut self, path: &str) -> Result<(), StorageError> {
        self.run(Act::SyncFile { path: path.to_owned() }, |storage| match storage.handles.remove(path) {
            Some(file) => file.sync_all(),
            None => File::open(storage.root.join(path))?.sync_all(),
        })
    }

    /// The empty path is the checkpoint directory itself.
    ///
    /// # Errors
    /// When the entries of the directory cannot be made durable.
    pub fn sync_directory(&mut self, path: &str) -> Result<(), StorageError> {
        self.run(Act::SyncDirectory { path: path.to_owned() }, |storage| sync_directory(&storage.root.join(path)))
    }

    /// # Errors
    /// When `from` does not exist, or `to` is a directory that is not empty.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), StorageError> {
        self.run(Act::Rename { from: from.to_owned(), to: to.to_owned() }, |storage| {
            std::fs::rename(storage.root.join(from), storage.root.join(to))
        })
    }

    /// # Errors
    /// When the file does not exist or cannot be removed.
    pub fn remove_file(&mut self, path: &str) -> Result<(), StorageError> {
        self.run(Act::RemoveFile { path: path.to_owned() }, |storage| std::fs::remove_file(storage.root.join(path)))
    }

    /// # Errors
    /// When the directory does not exist or is not empty.
    pub fn remove_directory(&mut self, path: &str) -> Result<(), StorageError> {
        self.run(Act::RemoveDirectory { path: path.to_owned() }, |storage| std::fs::remove_dir(storage.root.join(path)))
    }

    fn run<T>(&mut self, act: Act, body: impl FnOnce(&mut Self) -> io::Result<T>) -> Result<T, StorageError> {
        self.announce(&act)?;
        let result = match self.injected(false) {
            Some(error) => Err(error),
            None => body(self),
        };
        self.finish(act, result)
    }

    fn announce(&self, act: &Act) -> Result<(), StorageError> {
        let point = Point::Storage {
            save: self.save.step,
            ordinal: self.save.ordinal,
            operation: act.name().to_owned(),
            path: act.target(),
            asynchronous: self.save.asynchronous,
        };
        Ok(self.control.announce(point, true)?)
    }

    /// The error that the request wants at this ordinal. A short write of a single byte, or of something that is no
    /// write, is a full device at once.
    fn injected(&self, short: bool) -> Option<io::Error> {
        let wanted = self.failure.filter(|failure| failure.ordinal == self.ordinal).map(|failure| failure.error);
        let errno = match wanted {
            None => return None,
            Some(StorageErrorKind::ShortWrite) if short => return None,
            Some(StorageErrorKind::Enospc | StorageErrorKind::ShortWrite) => Errno::NOSPC,
            Some(StorageErrorKind::Eio) => Errno::IO,
            Some(StorageErrorKind::Erofs) => Errno::ROFS,
        };
        Some(errno.into())
    }

    /// Counts and logs an operation that has run or failed.
    fn finish<T>(&mut self, act: Act, result: io::Result<T>) -> Result<T, StorageError> {
        let (ordinal, save_ordinal) = (self.ordinal, self.save.ordinal);
        self.ordinal += 1;
        self.save.ordinal += 1;
        let (operation, target) = (act.name(), act.target());
        if let Some(log) = &mut self.log {
            let error = result.as_ref().err().map(ToString::to_string);
            let (save, asynchronous) = (self.save.step, self.save.asynchronous);
            log.append(&Line::Operation(Operation { ordinal, save, save_ordinal, asynchronous, act, error }))?;
        }
        result.map_err(|source| {
            let (root, ordinal) = (self.root.clone(), Some(ordinal));
            StorageError::Operation { operation, target, root, ordinal, source }
        })
    }
}

impl Source for Storage {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, StorageError> {
        self.run(Act::Read { path: path.to_owned() }, |storage| {
            source::existing(std::fs::read(storage.root.join(path)))
        })
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<Entry>>, StorageError> {
        self.run(Act::List { path: path.to_owned() }, |storage| {
            source::existing(source::entries(&storage.root.join(path)))
        })
    }
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Writes what the file takes at once.
fn write_some(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match file.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Gives the concatenated `pieces` in chunks of `size` bytes; only the last chunk may be shorter. Copies only chunks
/// that cross the border of a piece.
fn for_each_chunk<E>(pieces: &[&[u8]], size: usize, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut carry: Vec<u8> = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        if !carry.is_empty() {
            let (head, tail) = rest.split_at(rest.len().min(size - carry.len()));
            carry.extend_from_slice(head);
            rest = tail;
            if carry.len() == size {
                take(&carry)?;
                carry.clear();
            }
        }
        while rest.len() >= size {
            take(&rest[..size])?;
            rest = &rest[size..];
        }
        // Empty while `carry` waits for more: then the piece was used up above.
        carry.extend_from_slice(rest);
    }
    if carry.is_empty() { Ok(()) } else { take(&carry) }
}
