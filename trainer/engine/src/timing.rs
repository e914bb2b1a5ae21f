//! Clock readings of a run: the one place of the trainer that looks at a clock. They go to `timing-00000.jsonl`, which
//! no comparison reads.
#![expect(clippy::disallowed_methods, reason = "the home of the trainer's clock")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub struct Timing {
    start: Instant,
    begun: Instant,
    file: Option<BufWriter<File>>,
}

impl Timing {
    /// Writes to the trace directory; a file that cannot be created is no reason to stop a run.
    #[must_use]
    pub fn create(directory: &Path) -> Self {
        let now = Instant::now();
        let file = File::create(directory.join("timing-00000.jsonl")).ok().map(BufWriter::new);
        Self { start: now, begun: now, file }
    }

    pub fn step_begins(&mut self, _step: u64) {
        self.begun = Instant::now();
    }

    pub fn step_ends(&mut self, step: u64) {
        let line = serde_json::json!({
            "step": step,
            "seconds": self.begun.elapsed().as_secs_f64(),
            "since_start": self.start.elapsed().as_secs_f64(),
        });
        if let Some(file) = &mut self.file {
            // Timing is for people; losing it loses nothing.
            let _ = writeln!(file, "{line}");
        }
    }

    /// Seconds since the run began.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// Nanoseconds since the Unix epoch.
#[must_use]
pub fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Measures for people.
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    #[must_use]
    pub fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}
