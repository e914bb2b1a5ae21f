//! Reads the records of one rank, and refuses what is not whole.

use super::{FrameEntry, digest, index_path, records_path};
use crate::SCHEMA;
use crate::record::{Body, Record};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Whether the run may have been cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The run ended by itself: the last record is `end`.
    Complete,
    /// The driver killed the run: whole frames are valid, a torn tail is dropped.
    Killed,
}

/// Bytes that one frame may unpack to; a larger one is refused instead of filling memory.
const FRAME_LIMIT: usize = 1 << 30;

#[derive(Debug, Error)]
pub enum TraceError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}, line {line}: not an index entry: {message}")]
    Index { path: PathBuf, line: usize, message: String },
    #[error("{path} has schema {found}; this suite knows schema {SCHEMA}. It was written by another version.")]
    Schema { path: PathBuf, found: u64 },
    #[error("{path}: the trace is empty: not one frame was written")]
    Empty { path: PathBuf },
    #[error("{path}: frame {frame} (step {step}) is torn or altered: {message}")]
    Frame { path: PathBuf, frame: usize, step: u64, message: String },
    #[error("{path}: record {expected} is missing; the next record is {found}")]
    Gap { path: PathBuf, expected: u64, found: u64 },
    #[error("{path}: the trace has no `end` record: the run was cut short")]
    Short { path: PathBuf },
}

/// The records of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub step: u64,
    pub records: Vec<Record>,
}

/// An open trace of one rank. Memory stays flat: frames are unpacked one at a time.
pub struct TraceReader {
    path: PathBuf,
    file: File,
    entries: Vec<FrameEntry>,
}

impl TraceReader {
    /// Opens and checks a trace: schema, sequence, stored digests, and the `end` record of a complete run.
    ///
    /// # Errors
    /// Everything that makes the trace something else than the whole record of a run.
    pub fn open(directory: &Path, rank: u32, completeness: Completeness) -> Result<Self, TraceError> {
        let path = records_path(directory, rank);
        let mut entries = read_index(&index_path(directory, rank), completeness)?;
        let file = File::open(&path).map_err(|source| TraceError::Read { path: path.clone(), source })?;
        let size = file.metadata().map_err(|source| TraceError::Read { path: path.clone(), source })?.len();
        if completeness == Completeness::Killed {
            entries.retain(|entry| entry.offset + entry.stored_bytes <= size);
        }
        let mut reader = Self { path, file, entries };
        reader.check_sequence()?;
        if completeness == Completeness::Complete {
            reader.check_complete(size)?;
        }
        Ok(reader)
    }

    /// Index entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[FrameEntry] {
        &self.entries
    }

    /// Unpacks one frame.
    ///
    /// # Errors
    /// When the stored bytes are not those of the index, or hold something else than records.
    pub fn frame(&mut self, index: usize) -> Result<Frame, TraceError> {
        let entry = self.entries[index].clone();
        let text = self.unpack(index, &entry)?;
        let broken =
            |message: String| TraceError::Frame { path: self.path.clone(), frame: index, step: entry.step, message };
        let mut records = Vec::with_capacity(usize::try_from(entry.records).unwrap_or(0));
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            records.push(serde_json::from_slice::<Record>(line).map_err(|error| broken(error.to_string()))?);
        }
        if records.len() as u64 != entry.records {
            return Err(broken(format!("{} records, the index says {}", records.len(), entry.records)));
        }
        for (expected, record) in (entry.first_seq..).zip(&records) {
            if record.seq != expected {
                return Err(TraceError::Gap { path: self.path.clone(), expected, found: record.seq });
            }
        }
        Ok(Frame { step: entry.step, records })
    }

    /// All records of all frames, in order.
    ///
    /// # Errors
    /// As [`TraceReader::frame`].
    pub fn records(&mut self) -> Result<Vec<Record>, TraceError> {
        let mut all = Vec::new();
        for index in 0..self.entries.len() {
            all.extend(self.frame(index)?.records);
        }
        Ok(all)
    }

    fn unpack(&mut self, index: usize, entry: &FrameEntry) -> Result<Vec<u8>, TraceError> {
        let broken = |path: &Path, message: String| TraceError::Frame {
            path: path.to_owned(),
            frame: index,
            step: entry.step,
            message,
        };
        let mut stored =
            vec![0; usize::try_from(entry.stored_bytes).map_err(|_| broken(&self.path, "its size is absurd".into()))?];
        self.file
            .seek(SeekFrom::Start(entry.offset))
            .and_then(|_| self.file.read_exact(&mut stored))
            .map_err(|error| broken(&self.path, error.to_string()))?;
        if !digest::verify(&stored, &entry.stored_digest).map_err(|message| broken(&self.path, message))? {
            return Err(broken(&self.path, "its bytes are not those that the index names".into()));
        }
        let text =
            zstd::bulk::decompress(&stored, FRAME_LIMIT).map_err(|error| broken(&self.path, error.to_string()))?;
        if !digest::verify(&text, &entry.digest).map_err(|message| broken(&self.path, message))? {
            return Err(broken(&self.path, "its records are not those that the index names".into()));
        }
        Ok(text)
    }

    fn check_sequence(&self) -> Result<(), TraceError> {
        let (mut seq, mut offset) = (0, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.first_seq != seq {
                return Err(TraceError::Gap { path: self.path.clone(), expected: seq, found: entry.first_seq });
            }
            if entry.offset != offset || entry.records == 0 {
                let message = "the index has a hole".to_owned();
                return Err(TraceError::Frame { path: self.path.clone(), frame: index, step: entry.step, message });
            }
            seq += entry.records;
            offset += entry.stored_bytes;
        }
        Ok(())
    }

    fn check_complete(&mut self, size: u64) -> Result<(), TraceError> {
        let Some(last) = self.entries.last() else {
            return Err(TraceError::Empty { path: self.path.clone() });
        };
        if last.offset + last.stored_bytes != size {
            let (frame, step) = (self.entries.len() - 1, last.step);
            let message = format!("the file has {size} bytes, the index ends at {}", last.offset + last.stored_bytes);
            return Err(TraceError::Frame { path: self.path.clone(), frame, step, message });
        }
        let frame = self.frame(self.entries.len() - 1)?;
        match frame.records.last().map(|record| &record.body) {
            Some(Body::End { .. }) if self.entries.len() == 1 && frame.records.len() == 1 => {
                Err(TraceError::Empty { path: self.path.clone() })
            }
            Some(Body::End { .. }) => Ok(()),
            _ => Err(TraceError::Short { path: self.path.clone() }),
        }
    }
}

fn read_index(path: &Path, completeness: Completeness) -> Result<Vec<FrameEntry>, TraceError> {
    let text = std::fs::read_to_string(path).map_err(|source| TraceError::Read { path: path.to_owned(), source })?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let text = if completeness == Completeness::Killed { &text[..whole] } else { &text };
    let mut entries = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let broken = |message: String| TraceError::Index { path: path.to_owned(), line: line + 1, message };
        let value: serde_json::Value = serde_json::from_str(content).map_err(|error| broken(error.to_string()))?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(schema) if schema == u64::from(SCHEMA) => {}
            Some(found) => return Err(TraceError::Schema { path: path.to_owned(), found }),
            None => return Err(broken("no `schema`".into())),
        }
        entries.push(serde_json::from_value(value).map_err(|error| broken(error.to_string()))?);
    }
    Ok(entries)
}
