//! Saves that touch storage in an order that a kill or a power cut does not survive.

use contract::pointer::{LATEST, Pointer};
use engine::checkpoint::{SavePolicy, SaveStep};

/// Another order of steps.
#[derive(Debug)]
pub struct Reordered {
    pub steps: for<'a> fn(Vec<SaveStep<'a>>) -> Vec<SaveStep<'a>>,
    /// Complete saves that stay whatever the recipe asks for.
    pub kept: Option<usize>,
}

impl SavePolicy for Reordered {
    fn rewrite<'a>(&self, steps: Vec<SaveStep<'a>>) -> Vec<SaveStep<'a>> {
        let before = steps.clone();
        let after = (self.steps)(steps);
        mutants::activated(u64::from(after != before));
        after
    }

    fn kept(&self, keep: u32) -> usize {
        self.kept.unwrap_or(keep.max(2) as usize)
    }
}

/// Lets a run that went back save over what is newer, and keeps every save.
#[derive(Debug)]
pub struct Overwrites;

impl SavePolicy for Overwrites {
    fn kept(&self, _: u32) -> usize {
        usize::MAX
    }

    fn replaces_newer(&self, _: u64, _: &Pointer) -> bool {
        true
    }
}

/// The temporary folder of a save: every new save creates one.
fn temporary(steps: &[SaveStep<'_>]) -> Option<String> {
    steps.iter().find_map(|step| match step {
        SaveStep::CreateDirectory { path } => Some(path.clone()),
        _ => None,
    })
}

/// The name that the temporary folder gets.
fn target(steps: &[SaveStep<'_>]) -> Option<String> {
    let temporary = temporary(steps)?;
    steps.iter().find_map(|step| match step {
        SaveStep::Rename { from, to } if *from == temporary => Some(to.clone()),
        _ => None,
    })
}

fn is_publication(step: &SaveStep<'_>, temporary: &str) -> bool {
    matches!(step, SaveStep::Rename { from, .. } if from == temporary)
}

/// Names the new save before it is there, and writes its files where they stay: no temporary folder, no sync, no
/// rename that publishes them.
pub fn in_place(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    let (Some(temporary), Some(target)) = (temporary(&steps), target(&steps)) else { return steps };
    let is_pointer = |step: &SaveStep<'_>| match step {
        SaveStep::WriteFile { path, .. } | SaveStep::Rename { from: path, .. } => path.starts_with(LATEST),
        _ => false,
    };
    let (pointer, mut rest): (Vec<_>, Vec<_>) = steps
        .into_iter()
        .filter(|step| !is_publication(step, &temporary))
        .filter(|step| !matches!(step, SaveStep::SyncFile { .. } | SaveStep::SyncDirectory { .. }))
        .partition(is_pointer);
    let begin = rest.iter().position(|step| matches!(step, SaveStep::CreateDirectory { .. })).unwrap_or(0);
    rest.splice(begin..begin, pointer);
    for step in &mut rest {
        step.relocate(&temporary, &target);
    }
    rest
}

/// Forgets to sync the files of the new folder.
pub fn without_file_syncs(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    let inside = |path: &str| path.contains('/');
    steps.into_iter().filter(|step| !matches!(step, SaveStep::SyncFile { path } if inside(path))).collect()
}

/// Forgets to sync the file that names the newest save.
pub fn without_pointer_sync(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    steps.into_iter().filter(|step| !matches!(step, SaveStep::SyncFile { path } if path.starts_with(LATEST))).collect()
}

/// Forgets the one sync that makes the name of the new folder durable.
pub fn without_publication_sync(mut steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    let publication =
        temporary(&steps).and_then(|temporary| steps.iter().position(|step| is_publication(step, &temporary)));
    if let Some(at) = publication {
        steps.remove(at + 1);
    }
    steps
}

/// Forgets to sync folders.
pub fn without_directory_syncs(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    steps.into_iter().filter(|step| !matches!(step, SaveStep::SyncDirectory { .. })).collect()
}

/// Gives the new folder its name, commits, and only then syncs its files.
pub fn rename_before_sync(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    let (Some(temporary), Some(target)) = (temporary(&steps), target(&steps)) else { return steps };
    let inside = |path: &str| path.starts_with(&temporary);
    let (mut late, mut rest): (Vec<_>, Vec<_>) =
        steps.into_iter().partition(|step| matches!(step, SaveStep::SyncFile { path } if inside(path)));
    for step in &mut late {
        step.relocate(&temporary, &target);
    }
    let commit = rest.iter().position(|step| matches!(step, SaveStep::Commit)).map_or(rest.len(), |at| at + 1);
    rest.splice(commit..commit, late);
    rest
}

/// Removes older saves before the pointer names the new one, and before the new one is proven.
pub fn remove_first(steps: Vec<SaveStep<'_>>) -> Vec<SaveStep<'_>> {
    let Some(commit) = steps.iter().position(|step| matches!(step, SaveStep::Commit)) else { return steps };
    let Some(pointer) =
        steps.iter().position(|step| matches!(step, SaveStep::WriteFile { path, .. } if path.starts_with(LATEST)))
    else {
        return steps;
    };
    let mut steps = steps;
    let removal: Vec<_> =
        steps.split_off(commit + 1).into_iter().filter(|step| !matches!(step, SaveStep::Prove)).collect();
    steps.splice(pointer..pointer, removal);
    steps
}
