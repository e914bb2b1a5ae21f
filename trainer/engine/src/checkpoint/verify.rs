//! A report on everything in a checkpoint directory, for people.

use super::inspect::{Depth, inspect};
use super::survey::survey;
use super::{CheckpointError, Problem};
use crate::storage::Reader;
use contract::pointer::Pointer;
use std::fmt;
use std::path::{Path, PathBuf};

/// One folder `step-*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveReport {
    pub step: u64,
    pub directory: String,
    pub recipe: Option<String>,
    pub leaf_count: usize,
    /// Bytes of all leaves.
    pub bytes: u64,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    pub root: PathBuf,
    /// What `latest.json` names.
    pub newest: Option<Pointer>,
    /// What is wrong with `latest.json` itself.
    pub pointer_problem: Option<String>,
    /// Oldest first.
    pub saves: Vec<SaveReport>,
    /// Folders and files that the next save removes.
    pub leftovers: Vec<String>,
}

impl VerifyReport {
    /// Whether the newest save exists and no save has a problem.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let named = |pointer: &Pointer| self.saves.iter().any(|save| save.directory == pointer.directory);
        self.newest.as_ref().is_some_and(named) && self.saves.iter().all(|save| save.problems.is_empty())
    }

    /// The save that a resume would load, if it is whole. Older saves do not matter to it.
    #[must_use]
    pub fn loadable(&self) -> Option<&Pointer> {
        let whole = |pointer: &&Pointer| {
            self.saves.iter().any(|save| save.directory == pointer.directory && save.problems.is_empty())
        };
        self.newest.as_ref().filter(whole)
    }

    /// Why there is no such save: what is wrong with the pointer, or the first problem of the save that it names.
    #[must_use]
    pub fn obstacle(&self) -> String {
        let Some(newest) = &self.newest else {
            return self.pointer_problem.clone().unwrap_or_else(|| "nothing was ever committed".to_owned());
        };
        let directory = &newest.directory;
        let named = self.saves.iter().find(|save| save.directory == *directory);
        let problem = named.map(|save| save.problems.first());
        match problem {
            None => format!("latest.json names {directory}, which is missing"),
            Some(None) => format!("{directory} has no problem"),
            Some(Some(problem)) => format!("{directory}: {problem}"),
        }
    }
}

/// Reads and verifies every save below `root`. Changes nothing.
///
/// # Errors
/// When something cannot be read, or the schema of a save is unknown.
pub fn verify(root: &Path) -> Result<VerifyReport, CheckpointError> {
    let mut source = Reader::new(root);
    let mut survey = survey(&mut source, root)?;
    let pointer_problem = survey.newest(root).err().map(|error| error.to_string());
    let mut saves = Vec::new();
    for found in &survey.saves {
        let named = survey.pointer.as_ref().filter(|pointer| pointer.directory == found.folder.name).cloned();
        let pointer = named.or_else(|| found.pointer()).unwrap_or_else(|| Pointer {
            schema: contract::SCHEMA,
            step: found.step,
            directory: found.folder.name.clone(),
            manifest_digest: "unknown".to_owned(),
        });
        let inspection = inspect(&mut source, root, &pointer, Depth::Leaves)?;
        let mut problems = inspection.problems;
        if found.complete.is_none() {
            // No digest was expected of a manifest that nothing names.
            problems.retain(
                |problem| !matches!(problem, Problem::ManifestAltered { expected, .. } if expected == "unknown"),
            );
        }
        saves.push(SaveReport {
            step: found.step,
            directory: found.folder.name.clone(),
            recipe: inspection.manifest.as_ref().map(|manifest| manifest.recipe.clone()),
            leaf_count: inspection.state.leaves.len(),
            bytes: inspection.state.bytes(),
            problems,
        });
    }
    let stale = survey.stale.into_iter().map(|folder| folder.name);
    let leftovers = stale.chain(survey.stale_files).collect();
    Ok(VerifyReport { root: root.to_owned(), newest: survey.pointer, pointer_problem, saves, leftovers })
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.root.display())?;
        for save in &self.saves {
            let newest = self.newest.as_ref().is_some_and(|pointer| pointer.directory == save.directory);
            let abandoned = match &self.newest {
                Some(pointer) => pointer.step < save.step,
                // A pointer that cannot be read says nothing about what was committed.
                None => self.pointer_problem.is_none(),
            };
            let mark = match (newest, abandoned) {
                (true, _) => " (newest)",
                (false, true) => " (never committed)",
                (false, false) => "",
            };
            let recipe = save.recipe.as_deref().unwrap_or("unknown recipe");
            let verdict = if save.problems.is_empty() { "sound" } else { "DAMAGED" };
            let (directory, leaves, bytes) = (&save.directory, save.leaf_count, save.bytes);
            writeln!(f, "  {directory}{mark}: {verdict}, {recipe}, {leaves} leaves, {bytes} bytes")?;
            for problem in &save.problems {
                writeln!(f, "    {problem}")?;
            }
        }
        match &self.newest {
            None => match &self.pointer_problem {
                Some(problem) => writeln!(f, "  {problem}")?,
                None => writeln!(f, "  nothing was committed")?,
            },
            Some(pointer) if !self.saves.iter().any(|save| save.directory == pointer.directory) => {
                writeln!(f, "  {} (newest): MISSING", pointer.directory)?;
            }
            Some(_) => {}
        }
        self.leftovers.iter().try_for_each(|name| writeln!(f, "  {name}: left over, the next save removes it"))
    }
}
