//! Kills at seeded times, without any handshake: the run does not know, and nothing waits.

use super::points::{Place, Target};
use super::walk::{Segment, WalkOutput, broken, segment_spec};
use crate::control::Conduct;
use crate::nonce;
use crate::runner::{RunSpec, Runner, Start};
use std::path::Path;
use std::time::Duration;

/// Kills and resumes `count` times, each time after a part of `wall_seconds` (the measured time of the whole run) that
/// `seed` draws, then lets the run end. A run that ends before its time begins a new life; a kill before anything was
/// loaded or recorded does not count. The measure is corrected when a whole run is faster and when kills come too early.
/// Gives up after four times as many runs; how many kills there were is in the output. The base decides how often is
/// saved.
#[must_use]
pub fn random_kills(
    runner: &Runner,
    base: &RunSpec,
    seed: u64,
    count: usize,
    mut wall_seconds: f64,
    directory: &Path,
) -> WalkOutput {
    let mut output = WalkOutput::new(&format!("random-{seed}"), Vec::new());
    let (mut life, mut kills) = (0, 0);
    loop {
        let index = output.segments.len();
        let last = kills == count || index >= 4 * count;
        let spec = segment_spec(base, directory, index, life);
        let microseconds = delay(seed, index as u64, wall_seconds);
        let conduct = if last { Conduct::LetRun } else { Conduct::KillAfter(Duration::from_micros(microseconds)) };
        let after = output.segments.last().filter(|last| last.run.killed).and_then(|last| last.target.clone());
        let run = runner.attempt(&spec, conduct).and_then(|run| if run.killed { Ok(run) } else { run.succeeded() });
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                output.broken = Some(broken(&spec, after, &error));
                return output;
            }
        };
        if !run.killed && run.start == Start::Train {
            wall_seconds = wall_seconds.min(run.wall_seconds);
        }
        let target = run.killed.then_some(Target { rank: 0, place: Place::Time(microseconds) });
        output.listed.extend(target.clone());
        let segment = Segment::new(target, life, run);
        if segment.stillborn {
            wall_seconds *= 1.5;
        }
        kills += usize::from(segment.run.killed && !segment.stillborn);
        life += u32::from(!segment.run.killed);
        output.segments.push(segment);
        if last {
            return output;
        }
    }
}

/// Between 0 and the whole time, in microseconds; in 1024 steps, so that a printed seed means the same everywhere.
fn delay(seed: u64, index: u64, wall_seconds: f64) -> u64 {
    let whole = Duration::from_secs_f64(wall_seconds.max(0.0)).as_micros();
    let part = u128::from(nonce::seeded(seed, index) % 1024);
    u64::try_from(whole * part / 1024).unwrap_or(u64::MAX)
}
