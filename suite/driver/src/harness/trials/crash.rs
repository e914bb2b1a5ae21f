//! States of the disk that a power cut permits: the newest committed save survives in each of them.

use super::super::trial::{Context, Halt, Judged};
use super::resume::base;
use crate::catalogue::Extent;
use crate::kill::points::save_every_step;
use crate::nonce::seeded;
use crate::process::Ending;
use crate::runner::RunError;
use contract::claim::Claim;
use contract::description::PartDescription;
use contract::storage::StorageLog;
use contract::storage::crash::{CrashState, Stamps, Tree, crash_states as states};
use contract::verdict::Verdict;
use judge::Outcome;
use std::path::PathBuf;

/// Steps of the run, each of them saved: enough that an old save is removed.
const STEPS: u64 = 4;
/// In a sample one of this many states is tried.
const SAMPLE: u64 = 12;

pub fn crash_states(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Resume, context.name(), message);
    let mut spec = base(context, part).at(&context.folder.run("logged"));
    spec.checkpoints = Some(context.folder.run("checkpoints"));
    spec.set.extend(save_every_step(false));
    spec.storage.log = true;
    spec.stop_after = session.stop_after(part, Some(STEPS));
    context.progress("run 1 of 1, storage logged");
    let run = session.runner.run(&spec)?;
    let log = match StorageLog::read(&run.trace()) {
        Ok(log) => log,
        Err(error) => return Ok(Judged::new(outcome(Verdict::Invalid, error.to_string()))),
    };
    let states = match states(&Tree::default(), &log) {
        Ok(states) => states,
        Err(error) => return Ok(Judged::new(outcome(Verdict::Invalid, error.to_string()))),
    };
    let extent = Extent::of(session.description(&context.entry.recipe)?, part);
    let mut folder = StateFolder { path: context.folder.run("state"), held: None };
    let (mut tried, mut committed) = (0_u64, 0_u64);
    for (index, state) in (0..).zip(states) {
        let state = match state {
            Ok(state) => state,
            Err(error) => return Ok(Judged::new(outcome(Verdict::Invalid, error.to_string()))),
        };
        if extent == Extent::Sample && !seeded(session.seed, index).is_multiple_of(SAMPLE) {
            continue;
        }
        let survived = survives(context, &state, &mut folder)?;
        if let Err(message) = survived {
            return Ok(Judged::new(outcome(Verdict::ResumeBreak, message)));
        }
        tried += 1;
        committed += u64::from(state.committed.is_some());
        if tried % 25 == 0 {
            context.progress(format!("{tried} crash states"));
        }
    }
    if committed == 0 {
        let message = format!("of {tried} crash states none has a committed save, so nothing was tried");
        return Ok(Judged::new(outcome(Verdict::Invalid, message)));
    }
    let mut pass = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned());
    pass.counts.items = tried;
    pass.facts.push(format!("{tried} crash states loaded, {committed} of them with a committed save"));
    if extent == Extent::Sample {
        pass.not_compared.push("crash states that the seed did not choose".to_owned());
    }
    pass.not_compared.push("reordering inside one write, and silent corruption of bytes that were safe".to_owned());
    Ok(Judged::new(pass))
}

/// The folder that becomes one state after the other.
struct StateFolder {
    path: PathBuf,
    /// What it holds, and the stamps of its files when it was written.
    held: Option<(Tree, Stamps)>,
}

impl StateFolder {
    /// States differ in few files, and only those are written, unless the trainer has written there itself.
    fn hold(&mut self, tree: &Tree) -> std::io::Result<()> {
        match self.held.take() {
            Some((before, stamps)) if Tree::stamps(&self.path)? == stamps => tree.replace(&before, &self.path)?,
            _ => {
                if self.path.exists() {
                    std::fs::remove_dir_all(&self.path)?;
                }
                tree.write(&self.path)?;
            }
        }
        self.held = Some((tree.clone(), Tree::stamps(&self.path)?));
        Ok(())
    }
}

/// Lets the trainer load a state. The inner error says what was lost.
fn survives(context: &Context<'_>, state: &CrashState, folder: &mut StateFolder) -> Result<Result<(), String>, Halt> {
    folder.hold(&state.tree).map_err(|error| Halt::Infra(format!("cannot build a crash state: {error}")))?;
    let loaded = context.session.runner.verify(&folder.path);
    let at = &state.description;
    Ok(match (&state.committed, loaded) {
        (Some(committed), Ok(loaded)) if loaded.step < committed.step => {
            Err(format!("step {} was committed, step {} is loaded: {at}", committed.step, loaded.step))
        }
        (Some(committed), Ok(loaded))
            if loaded.step == committed.step && loaded.manifest_digest != committed.manifest_digest =>
        {
            Err(format!("step {} is loaded with another manifest than was committed: {at}", loaded.step))
        }
        (_, Ok(_)) => Ok(()),
        (Some(committed), Err(RunError::Question { message, .. })) => {
            Err(format!("step {} was committed and nothing can be loaded ({message}): {at}", committed.step))
        }
        (None, Err(RunError::Question { ending: Ending::Code(_), .. })) => Ok(()),
        (None, Err(RunError::Question { ending, .. })) => Err(format!("loading died by {ending}: {at}")),
        (_, Err(error)) => return Err(Halt::Run(error)),
    })
}
