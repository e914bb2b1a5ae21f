//! Makes candidates: each part is run twice by the reference variants on one thread, and only what both runs agree on
//! can become a golden.

use super::slashed;
use crate::runner::{RunError, RunSpec, Runner};
use contract::claim::Claim;
use contract::description::{Description, PartDescription};
use contract::request::Part;
use judge::golden::Golden;
use judge::ledger::{Entry, RETIRED};
use judge::{Mode, Pair};
use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Lines of a change that a summary shows.
const SHOWN: usize = 6;

/// Which goldens: the name of a recipe, of a room, or a piece of a golden's path. [`Query::ALL`] is every golden.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a>(pub &'a str);

impl Query<'_> {
    pub const ALL: &'static str = "all";

    fn matches(self, recipe: &str, file: &str) -> bool {
        self.0 == Self::ALL || self.0 == recipe || file.contains(self.0)
    }
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Relative to the golden folder, with `/`.
    pub file: String,
    /// Where the candidate lies.
    pub candidate: PathBuf,
    pub contracts: Vec<String>,
    pub change: Change,
}

/// How a candidate differs from what is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Change {
    Same,
    /// A committed file that no recipe and no room uses: it is to be retired.
    Unused,
    New {
        lines: usize,
    },
    Moved {
        added: usize,
        removed: usize,
        /// Names of what moved: `CASE/TENSOR out`, `STEP SECTION/LEAF`; each once, in order.
        names: Vec<String>,
        /// The first differing lines.
        diff: Vec<String>,
    },
}

#[derive(Debug, Error)]
pub enum ProposeError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("`{query}` matches no golden{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Nothing { query: String, nearest: Option<String> },
    #[error("two reference runs of {recipe} {part} differ, so neither can be a golden: {message}")]
    Nondeterministic { recipe: String, part: String, message: String },
    #[error("{recipe} {part} is no evidence: {message}")]
    Evidence { recipe: String, part: String, message: String },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}

/// Hears what is done now.
pub type Progress<'a> = &'a dyn Fn(&str);

impl Proposal {
    /// The row that enters the proposal in the ledger; a reason is added by who blesses it. Bytes that did not move
    /// have none.
    ///
    /// # Errors
    /// When the candidate cannot be read.
    pub fn ledger_row(&self, reason: &str) -> std::io::Result<Option<String>> {
        let entry = match &self.change {
            Change::Same => return Ok(None),
            Change::Unused => Entry {
                file: self.file.clone(),
                blake3: RETIRED.to_owned(),
                contracts: self.contracts.clone(),
                reason: reason.to_owned(),
            },
            _ => Entry::of(&self.file, &std::fs::read(&self.candidate)?, &self.contracts, reason),
        };
        Ok(Some(entry.render()))
    }
}

/// Makes the candidates of a query below `out` (a file `FOLDER/NAME.snap` each, unless nothing moved) and compares
/// them with the goldens below `golden`. Run directories lie below `out/runs`.
///
/// # Errors
/// When the query names nothing, a run fails, or two runs of a part differ.
pub fn propose(
    runner: &Runner,
    query: Query<'_>,
    golden: &Path,
    out: &Path,
    progress: Progress<'_>,
) -> Result<Vec<Proposal>, ProposeError> {
    let out = std::path::absolute(out).map_err(|source| ProposeError::Write { path: out.to_owned(), source })?;
    let (mut proposals, mut known) = (BTreeMap::new(), BTreeSet::new());
    for recipe in runner.recipes()? {
        let description = runner.describe(&recipe)?;
        known.insert(recipe.clone());
        for part in description.parts.iter().filter(|part| part.claims.contains(&Claim::Golden)) {
            let name = Golden::name(&recipe, &part.part);
            let file = slashed(&name);
            // A room has one golden, whatever number of recipes use it.
            known.insert(file.clone());
            if proposals.contains_key(&file) || !query.matches(&recipe, &file) {
                continue;
            }
            progress(&format!("{recipe} {}", part.part));
            let made = make(runner, &description, part, &out.join("runs").join(file.replace('/', "-")))?;
            let (candidate, text) = (out.join(&name), made.render());
            let change = change(std::fs::read_to_string(golden.join(&name)).ok().as_deref(), &text);
            if change != Change::Same {
                write(&candidate, &text)?;
            }
            proposals.insert(file.clone(), Proposal { file, candidate, contracts: made.info.contracts, change });
        }
    }
    for file in unused(golden, &known).into_iter().filter(|file| query.matches("", file)) {
        let path = golden.join(&file);
        let contracts = Golden::read(&path).map(|golden| golden.info.contracts).unwrap_or_default();
        proposals.insert(file.clone(), Proposal { file, candidate: path, contracts, change: Change::Unused });
    }
    if proposals.is_empty() {
        let words = known.iter().flat_map(|name| [name.as_str(), name.split('/').next().unwrap_or(name)]);
        let nearest = contract::recipe::nearest(query.0, words).map(str::to_owned);
        return Err(ProposeError::Nothing { query: query.0.to_owned(), nearest });
    }
    Ok(proposals.into_values().collect())
}

/// Committed files that no recipe and no room uses.
fn unused(golden: &Path, known: &BTreeSet<String>) -> Vec<String> {
    // A ledger that cannot be read is told by the suite; here it only means that nothing can be retired.
    let problems = judge::ledger::check(golden, Some(known)).unwrap_or_default();
    let mut files: Vec<_> =
        problems.into_iter().map(|problem| problem.file).filter(|file| !known.contains(file)).collect();
    files.retain(|file| golden.join(file).exists());
    files.sort();
    files.dedup();
    files
}

fn make(
    runner: &Runner,
    description: &Description,
    part: &PartDescription,
    directory: &Path,
) -> Result<Golden, ProposeError> {
    let mut spec = RunSpec::new(&description.recipe, part.part.clone(), directory);
    spec.set.insert("variants".to_owned(), "reference".into());
    spec.set.insert("threads".to_owned(), 1.into());
    if directory.exists() {
        std::fs::remove_dir_all(directory)
            .map_err(|source| ProposeError::Write { path: directory.to_owned(), source })?;
    }
    let run = |name: &str| {
        let mut spec = spec.at(&directory.join(name));
        // The same run as the suite's plain one, which saves when the recipe says so.
        spec.checkpoints = (part.part == Part::EndToEnd).then(|| directory.join(name).join("checkpoints"));
        runner.run(&spec)
    };
    let (left, right) = (run("first")?.trace(), run("second")?.trace());
    let (recipe, name) = (description.recipe.clone(), part.part.to_string());
    let outcome = judge::compare::compare(&Pair::new(Claim::Repeat, Mode::Strict, &name, &left, &right));
    if !outcome.passed() {
        let place = outcome.divergence.map(|divergence| format!(" ({})", divergence.place())).unwrap_or_default();
        let message = format!("{} {}{place}", outcome.verdict, outcome.message);
        return Err(ProposeError::Nondeterministic { recipe, part: name, message });
    }
    Golden::from_trace(&left, &part.contracts).map_err(|error| ProposeError::Evidence {
        recipe,
        part: name,
        message: error.to_string(),
    })
}

fn write(path: &Path, text: &str) -> Result<(), ProposeError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|source| ProposeError::Write { path: path.to_owned(), source })
}

/// Compares two golden files line by line.
pub(super) fn change(old: Option<&str>, new: &str) -> Change {
    let Some(old) = old else { return Change::New { lines: new.lines().count() } };
    if old == new {
        return Change::Same;
    }
    let diff = TextDiff::from_lines(old, new);
    let (mut added, mut removed) = (0, 0);
    let (mut names, mut shown): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Insert => '+',
            ChangeTag::Delete => '-',
        };
        *(if sign == '+' { &mut added } else { &mut removed }) += 1;
        let line = change.value().trim_end();
        let name = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        if !names.contains(&name) {
            names.push(name);
        }
        if shown.len() < SHOWN {
            shown.push(format!("{sign} {line}"));
        }
    }
    Change::Moved { added, removed, names, diff: shown }
}

/// What moved, for people.
#[must_use]
pub fn summary(proposals: &[Proposal]) -> String {
    let mut lines = Vec::new();
    for proposal in proposals {
        let contracts = proposal.contracts.join(", ");
        match &proposal.change {
            Change::Same => lines.push(format!("  same   {}", proposal.file)),
            Change::Unused => lines.push(format!("- retire {} (no recipe and no room uses it)", proposal.file)),
            Change::New { lines: count } => {
                lines.push(format!("* new    {} ({count} lines; {contracts})", proposal.file))
            }
            Change::Moved { added, removed, names, diff } => {
                lines.push(format!("! moved  {} (+{added} -{removed}; {contracts})", proposal.file));
                let more =
                    if names.len() > SHOWN { format!(", and {} more", names.len() - SHOWN) } else { String::new() };
                let first = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
                lines.push(format!("         {first}{more}"));
                lines.extend(diff.iter().map(|line| format!("         {line}")));
            }
        }
    }
    lines.join("\n")
}
