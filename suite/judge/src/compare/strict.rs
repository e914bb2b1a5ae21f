//! Every record equal, in order, byte for byte.
//!
//! Frames that are equal as stored are never unpacked; memory holds two frames at most.

use super::Finding;
use crate::divergence::{Alignment, Divergence, Sides, first};
use crate::evidence::{EvidenceError, Run, hollow};
use crate::outcome::Counts;
use contract::record::Record;
use contract::trace::{FrameEntry, records_path};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub fn compare(left: &mut Run, right: &mut Run) -> Result<Finding, EvidenceError> {
    if left.ranks.len() != right.ranks.len() {
        let message = format!("{} ranks and {} ranks", left.ranks.len(), right.ranks.len());
        return Err(EvidenceError::Pair(message));
    }
    let mut finding = Finding::default();
    finding.counts.ranks = left.ranks.len() as u64;
    for rank in 0..left.ranks.len() {
        let found = compare_rank(left, right, rank, &mut finding.counts)?;
        let earlier = |new: &Divergence, old: &Option<Divergence>| old.as_ref().is_none_or(|old| new.step < old.step);
        if let Some(new) = found.filter(|new| earlier(new, &finding.divergence)) {
            finding.divergence = Some(new);
        }
    }
    Ok(finding)
}

fn compare_rank(
    left: &mut Run,
    right: &mut Run,
    rank: usize,
    counts: &mut Counts,
) -> Result<Option<Divergence>, EvidenceError> {
    let (left_entries, right_entries) = (left.ranks[rank].entries().to_vec(), right.ranks[rank].entries().to_vec());
    let mut stored = (Stored::open(&left.directory, rank as u32)?, Stored::open(&right.directory, rank as u32)?);
    for (index, (a, b)) in left_entries.iter().zip(&right_entries).enumerate() {
        counts.steps = counts.steps.max(index as u64 + 1);
        if a.stored_digest == b.stored_digest
            && a.stored_bytes == b.stored_bytes
            && a.step == b.step
            && stored.0.read(a)? == stored.1.read(b)?
        {
            counts.frames_equal += 1;
            counts.items += a.records;
            continue;
        }
        let (a, b) = (left.ranks[rank].frame(index)?, right.ranks[rank].frame(index)?);
        counts.frames_unpacked += 1;
        counts.items += a.records.len() as u64;
        let (a, b): (Vec<&Record>, Vec<&Record>) = (a.records.iter().collect(), b.records.iter().collect());
        let sides = Sides { left: &a, right: &b, rank: rank as u32 };
        if let Some(divergence) = first(sides, Alignment::Exact) {
            return Ok(Some(divergence));
        }
    }
    if left_entries.len() == right_entries.len() {
        return Ok(None);
    }
    // Both traces are whole, so the shorter one's `end` has differed above.
    Err(hollow(&left.directory, format!("rank {rank} has frames after its `end` record, or the other run has")))
}

/// The record file of one rank, read frame by frame without unpacking.
struct Stored {
    file: File,
    directory: std::path::PathBuf,
    buffer: Vec<u8>,
}

impl Stored {
    fn open(directory: &Path, rank: u32) -> Result<Self, EvidenceError> {
        let file = File::open(records_path(directory, rank))
            .map_err(|error| hollow(directory, format!("rank {rank} cannot be read: {error}")))?;
        Ok(Self { file, directory: directory.to_owned(), buffer: Vec::new() })
    }

    fn read(&mut self, entry: &FrameEntry) -> Result<&[u8], EvidenceError> {
        let broken = |error: String| hollow(&self.directory, format!("the frame of step {}: {error}", entry.step));
        let size = usize::try_from(entry.stored_bytes).map_err(|error| broken(error.to_string()))?;
        self.buffer.resize(size, 0);
        self.file
            .seek(SeekFrom::Start(entry.offset))
            .and_then(|_| self.file.read_exact(&mut self.buffer))
            .map_err(|error| broken(error.to_string()))?;
        Ok(&self.buffer)
    }
}
