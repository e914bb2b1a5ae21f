//! The runs that trials compare.

use super::session::Session;
use super::trial::Halt;
use crate::nonce::seeded;
use crate::runner::RunSpec;
use contract::description::{Alternative, PartDescription};
use contract::execution::{Observe, ObserveLevel};
use contract::request::{Part, Perturbation};
use std::path::{Path, PathBuf};

/// Folder of the checkpoints of a run, in the folder of the run.
pub const CHECKPOINTS: &str = "checkpoints";

/// Bytes that memory is filled with: NaN in every float format, a huge number, an odd one, a small one.
const POISONS: [u8; 4] = [0xff, 0x7f, 0xc3, 0x3c];
/// Other numbers of threads than a recipe is likely to have.
const THREADS: [u32; 3] = [1, 3, 5];

/// The run of a part as the recipe has it, at the lowest level that the claims need. A whole recipe saves checkpoints
/// as it says.
pub fn plain(session: &Session, recipe: &str, part: &PartDescription, limit: Option<u64>) -> RunSpec {
    let mut spec = RunSpec::new(recipe, part.part.clone(), Path::new("unset"));
    spec.observe = Observe { level: ObserveLevel::Step, steps: None };
    spec.stop_after = session.stop_after(part, limit);
    if part.part == Part::EndToEnd {
        spec.checkpoints = Some(PathBuf::from(CHECKPOINTS));
    }
    spec
}

/// A run in a folder of its own.
pub fn own(spec: &RunSpec, directory: &Path) -> RunSpec {
    let mut spec = spec.at(directory);
    spec.checkpoints = spec.checkpoints.map(|_| directory.join(CHECKPOINTS));
    spec
}

/// What must not matter, turned against a run. The seed alone decides, so that a report can be repeated.
pub fn perturbation(seed: u64) -> Perturbation {
    let pick = |index, count: usize| usize::try_from(seeded(seed, index) % count as u64).unwrap_or(0);
    Perturbation { seed, poison: POISONS[pick(0, POISONS.len())], threads: THREADS[pick(1, THREADS.len())] }
}

pub fn perturbed(spec: &RunSpec, seed: u64) -> RunSpec {
    RunSpec { perturbation: Some(perturbation(seed)), ..spec.clone() }
}

/// The part made another way.
pub fn alternative(spec: &RunSpec, alternative: &Alternative) -> RunSpec {
    let mut spec = spec.clone();
    spec.set.extend(alternative.set.clone());
    if let Some(level) = alternative.observe {
        spec.observe = Observe { level, steps: None };
    }
    spec
}

/// The same run, every element of one step recorded, and ended after that step.
pub fn observed(spec: &RunSpec, step: u64, part: &PartDescription) -> RunSpec {
    let mut spec = spec.clone();
    spec.observe = Observe { level: ObserveLevel::Element, steps: Some((step, step)) };
    if step + 1 < part.steps {
        spec.stop_after = Some(spec.stop_after.map_or(step, |stop| stop.min(step)));
    }
    spec
}

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), Halt> {
    let named = |error: std::io::Error| Halt::Infra(format!("cannot copy {}: {error}", from.display()));
    std::fs::create_dir_all(to).map_err(named)?;
    for entry in std::fs::read_dir(from).map_err(named)? {
        let entry = entry.map_err(named)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(named)?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target).map_err(named)?;
        }
    }
    Ok(())
}
