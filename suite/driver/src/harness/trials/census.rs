//! Claim `census`: the checkpoint holds the live state and nothing else, and a state that went through a checkpoint
//! saves as the very same bytes.

use super::super::specs;
use super::super::trial::{Context, Halt, Judged};
use crate::kill::points::save_every_step;
use crate::process::Ending;
use crate::runner::{RunError, RunOutput, Start};
use contract::claim::Claim;
use contract::description::PartDescription;
use contract::manifest::{MANIFEST, Save, newest};
use contract::verdict::Verdict;
use judge::Outcome;
use judge::census::{Leaf, census as judge_census, live, same_bytes};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn census(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let description = session.description(&context.entry.recipe)?;
    context.progress("run 1 of 3");
    let plain = session.shared_run(&specs::plain(session, &context.entry.recipe, part, None))?;
    let (checkpoints, save) = match saved(&plain) {
        Ok(found) => found,
        Err(message) => return Ok(invalid(context, message)),
    };
    let Some(step) = save.pointer.step.checked_sub(1) else {
        return Ok(invalid(context, "the newest save has no step behind it".to_owned()));
    };
    let alive = match live(&plain.trace(), step, false) {
        Ok(alive) => alive,
        Err(error) => return Ok(Judged::new(Outcome::invalid(Claim::Census, context.name(), &error))),
    };
    let outcome = judge_census(context.name(), step, &alive, &leaves(&save), &description.sections);
    if !outcome.passed() {
        return Ok(Judged::new(outcome));
    }
    let verified = session.runner.verify(&checkpoints)?;
    if verified != save.pointer {
        let message = format!("verified step {}, the newest save is of step {}", verified.step, save.pointer.step);
        return Ok(Judged::new(Outcome::new(Verdict::CensusGap, Claim::Census, context.name(), message)));
    }
    save_load_save(context, part, &save, outcome)
}

fn invalid(context: &Context<'_>, message: String) -> Judged {
    Judged::new(Outcome::new(Verdict::Invalid, Claim::Census, context.name(), message))
}

fn saved(run: &RunOutput) -> Result<(PathBuf, Save), String> {
    let checkpoints = run.checkpoints.clone().ok_or("the run had no checkpoint directory")?;
    let save = newest(&checkpoints)?;
    Ok((checkpoints, save))
}

fn leaves(save: &Save) -> Vec<Leaf> {
    let leaf = |leaf: &contract::manifest::Leaf| Leaf {
        leaf: leaf.name.clone(),
        dtype: leaf.dtype.clone(),
        shape: leaf.shape.clone(),
        fingerprint: leaf.fingerprint,
    };
    save.manifest.leaves.iter().map(leaf).collect()
}

/// A run is saved one step before `save`, ends, is resumed and saves again: every file must be that of `save`, whose
/// state never went through a checkpoint.
fn save_load_save(
    context: &Context<'_>,
    part: &PartDescription,
    save: &Save,
    mut outcome: Outcome,
) -> Result<Judged, Halt> {
    let session = context.session;
    let Some(before) = save.pointer.step.checked_sub(2) else {
        outcome.not_compared.push("save, load, save: the run has only one step".to_owned());
        return Ok(Judged::new(outcome));
    };
    let mut spec = specs::plain(session, &context.entry.recipe, part, None);
    spec.set.extend(save_every_step(false));
    let checkpoints = context.folder.run("checkpoints");
    spec.checkpoints = Some(checkpoints.clone());
    spec.stop_after = Some(before);
    context.progress("run 2 of 3, to the step before");
    session.runner.run(&spec.at(&context.folder.run("before")))?;
    spec.start = Start::Resume;
    spec.stop_after = (save.pointer.step < part.steps).then(|| save.pointer.step - 1);
    context.progress("run 3 of 3, resumed");
    let resumed = match session.runner.run(&spec.at(&context.folder.run("resumed"))) {
        Ok(resumed) => resumed,
        // The run before made this save and came to its end: what cannot be loaded is a hole in the save.
        Err(error @ RunError::Exit { ending: Ending::Code(_), .. }) => {
            let message = format!("a save cannot be loaded by the trainer that made it: {error}");
            return Ok(Judged::new(Outcome::new(Verdict::CensusGap, Claim::Census, context.name(), message)));
        }
        Err(error) => return Err(error.into()),
    };
    let again = match saved(&resumed) {
        Ok((_, again)) => again,
        Err(message) => return Ok(invalid(context, message)),
    };
    if resumed.loaded.as_ref().map(|loaded| loaded.step) != Some(save.pointer.step - 1) {
        return Ok(invalid(context, "the resumed run did not load the save before".to_owned()));
    }
    Ok(Judged::new(compare_saves(context.name(), save, &again, outcome)))
}

fn compare_saves(trial: &str, save: &Save, again: &Save, mut outcome: Outcome) -> Outcome {
    let gap = |message: String| Outcome::new(Verdict::CensusGap, Claim::Census, trial, message);
    let (left, right) = match (files(&save.folder), files(&again.folder)) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(message), _) | (_, Err(message)) => return Outcome::new(Verdict::Infra, Claim::Census, trial, message),
    };
    if let Some(only) = left.symmetric_difference(&right).next() {
        return gap(format!("after save, load, save only one side has the file `{}`", only.display()));
    }
    // The manifest last: when a shard differs, its name says more.
    let manifest = PathBuf::from(MANIFEST);
    let shards = left.iter().filter(|file| **file != manifest);
    for file in shards.chain(left.get(&manifest)) {
        let (a, b) = (save.folder.join(file), again.folder.join(file));
        let empty = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.len() == 0);
        if empty(&a) && empty(&b) {
            continue;
        }
        let same = same_bytes(trial, &a, &b);
        if !same.passed() {
            return same;
        }
        outcome.facts.extend(same.facts.into_iter().map(|fact| format!("{}: {fact}", file.display())));
    }
    outcome
}

/// Files below a folder, relative to it.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).map_err(|error| format!("cannot list {}: {error}", next.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(relative) = path.strip_prefix(folder) {
                found.insert(relative.to_owned());
            }
        }
    }
    Ok(found)
}
