//! Writes the records of one rank.

use super::{FrameEntry, digest, index_path, records_path};
use crate::SCHEMA;
use crate::record::{Body, Record};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// zstd level: traces are small, and the writer shares its core with the run.
const LEVEL: i32 = 1;

/// Appends records and closes a frame for each step.
pub struct TraceWriter {
    records: File,
    index: File,
    buffer: Vec<u8>,
    seq: u64,
    first_seq: u64,
    offset: u64,
}

impl TraceWriter {
    /// Creates the two files of `rank`; they must not exist.
    ///
    /// # Errors
    /// When a file exists or cannot be created.
    pub fn create(directory: &Path, rank: u32) -> io::Result<Self> {
        let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        Ok(Self {
            records: open(&records_path(directory, rank))?,
            index: open(&index_path(directory, rank))?,
            buffer: Vec::new(),
            seq: 0,
            first_seq: 0,
            offset: 0,
        })
    }

    /// Adds one record to the current frame.
    ///
    /// # Errors
    /// When the record cannot be serialised.
    pub fn record(&mut self, step: u64, phase: &str, body: Body) -> io::Result<()> {
        let record = Record { seq: self.seq, step, phase: phase.to_owned(), body };
        serde_json::to_writer(&mut self.buffer, &record)?;
        self.buffer.push(b'\n');
        self.seq += 1;
        Ok(())
    }

    /// Closes the frame of `step` and hands it to the operating system. A step without records writes nothing.
    ///
    /// # Errors
    /// When a write fails.
    pub fn end_step(&mut self, step: u64) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let stored = zstd::bulk::compress(&self.buffer, LEVEL)?;
        let entry = FrameEntry {
            schema: SCHEMA,
            step,
            first_seq: self.first_seq,
            records: self.seq - self.first_seq,
            offset: self.offset,
            stored_bytes: stored.len() as u64,
            stored_digest: digest::blake3(&stored),
            digest: digest::blake3(&self.buffer),
        };
        self.records.write_all(&stored)?;
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        self.index.write_all(&line)?;
        self.offset += entry.stored_bytes;
        self.first_seq = self.seq;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the `end` record of a complete run.
    ///
    /// # Errors
    /// When a write fails.
    pub fn finish(mut self, steps: u64) -> io::Result<()> {
        self.record(steps, "end", Body::End { steps })?;
        self.end_step(steps)
    }
}
