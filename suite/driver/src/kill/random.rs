//! Kills at seeded times, without any handshake: the run does not know, and nothing waits.

use super::points::{Place, Target};
use super::walk::{Segment, WalkOutput, broken, segment_spec};
use crate::control::Conduct;
use crate::nonce;
use crate::runner::{RunSpec, Runner};
use std::path::Path;
use std::time::Duration;

/// Kills and resumes up to `count` times, each time after a part of `wall_seconds` (the measured time of the whole
/// run) that `seed` draws, then lets the run end. A run that ends before its time was not killed and ends the walk.
/// The base decides how often is saved.
#[must_use]
pub fn random_kills(
    runner: &Runner,
    base: &RunSpec,
    seed: u64,
    count: u64,
    wall_seconds: f64,
    directory: &Path,
) -> WalkOutput {
    let mut output = WalkOutput::new(&format!("random-{seed}"), Vec::new());
    for index in 0..=count {
        let spec = segment_spec(base, directory, output.segments.len(), 0);
        let microseconds = delay(seed, index, wall_seconds);
        let last = index == count;
        let conduct =
            if last { Conduct::LetRun } else { Conduct::KillAfter(Duration::from_micros(microseconds)) };
        let after = output.segments.last().and_then(|last| last.target.clone());
        let run = runner.attempt(&spec, conduct).and_then(|run| if run.killed { Ok(run) } else { run.succeeded() });
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                output.broken = Some(broken(&spec, after, &error));
                return output;
            }
        };
        let killed = run.killed;
        let target = killed.then_some(Target { rank: 0, place: Place::Time(microseconds) });
        output.listed.extend(target.clone());
        output.segments.push(Segment { target, life: 0, run });
        if !killed {
            break;
        }
    }
    output
}

/// Between 0 and the whole time, in microseconds; in 1024 steps, so that a printed seed means the same everywhere.
fn delay(seed: u64, index: u64, wall_seconds: f64) -> u64 {
    let whole = Duration::from_secs_f64(wall_seconds.max(0.0)).as_micros();
    let part = u128::from(nonce::seeded(seed, index) % 1024);
    u64::try_from(whole * part / 1024).unwrap_or(u64::MAX)
}
