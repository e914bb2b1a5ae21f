//! Which trials were asked for. Asking for something that does not exist is an error, never an empty success.

use super::gaps::needs_whole_run;
use super::{Entry, Kind, Scope};
use crate::options::Options;
use contract::claim::Level;
use contract::description::Presence;
use contract::recipe::nearest;
use contract::request::Part;
use contract::verdict::Verdict;
use std::collections::BTreeSet;
use thiserror::Error;

/// The trials of one call.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Handed to libtest, which still applies its own filter.
    pub entries: Vec<Entry>,
    /// Left out for a reason that a reader should know: name and reason.
    pub not_compared: Vec<(String, String)>,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelectionError {
    #[error("unknown recipe `{name}`{}. Known recipes: {}.", did_you_mean(nearest.as_deref()), known.join(", "))]
    UnknownRecipe { name: String, nearest: Option<String>, known: Vec<String> },
    #[error("no trial matches {asked}{}", did_you_mean(nearest.as_deref()))]
    Nothing { asked: String, nearest: Option<String> },
    #[error("--{option}: nothing is called `{name}`, only {}{}", known.join(", "), did_you_mean(nearest.as_deref()))]
    UnknownName { option: &'static str, name: String, nearest: Option<String>, known: Vec<String> },
    #[error("the set `{set}` names the trial `{name}`, which does not exist{}", did_you_mean(nearest.as_deref()))]
    UnknownTrial { set: String, name: String, nearest: Option<String> },
}

impl SelectionError {
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        Verdict::CoverageGap
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl SelectionError {
    /// A recipe that the trainer does not know.
    #[must_use]
    pub fn unknown_recipe(name: &str, known: &[String]) -> Self {
        let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Self::UnknownRecipe { name: name.to_owned(), nearest, known: known.to_vec() }
    }
}

/// The recipe of a trial's name.
#[must_use]
pub fn recipe_of(name: &str) -> Option<&str> {
    name.split_once("::").map(|(recipe, _)| recipe)
}

/// Chooses from the catalogues of the recipes that were asked for. `set` is a named list of trials that limits them.
///
/// # Errors
/// When nothing is left, or when the set, `--room` or `--require` names what does not exist: a misspelt demand would
/// otherwise be met by leaving it out.
pub fn select(all: &[Entry], set: Option<(&str, &[String])>, options: &Options) -> Result<Selection, SelectionError> {
    let mut selection = Selection::default();
    let names = || all.iter().map(|entry| entry.name.as_str());
    if let Some((set, list)) = set
        && let Some(name) = list.iter().find(|name| !names().any(|other| other == *name))
    {
        let nearest = nearest(name, names()).map(str::to_owned);
        return Err(SelectionError::UnknownTrial { set: set.to_owned(), name: name.clone(), nearest });
    }
    known("room", &options.room, all.iter().filter_map(room))?;
    known("require", &options.require, all.iter().filter_map(alternative))?;
    let in_set = |entry: &Entry| set.is_none_or(|(_, list)| list.contains(&entry.name));
    for entry in all.iter().filter(|entry| in_set(entry) && wanted(entry, options)) {
        let mut entry = entry.clone();
        if is_required(&entry, options) {
            entry.not_compared = None;
        }
        if options.steps.is_some() && matches!(&entry.scope, Scope::Part { kind, .. } if needs_whole_run(kind)) {
            entry.not_compared = Some("--steps cuts the run short".to_owned());
        }
        if let Some(reason) = &entry.not_compared {
            selection.not_compared.push((entry.name.clone(), reason.clone()));
        }
        selection.entries.push(entry);
    }
    let about_parts = |entry: &&Entry| matches!(entry.scope, Scope::Part { .. });
    let any = if options.narrows() {
        selection.entries.iter().filter(about_parts).any(|entry| reachable(entry, options))
    } else {
        selection.entries.iter().any(|entry| reachable(entry, options))
    };
    // Runners ask for the list of ignored trials, and that may well be empty.
    let listing_ignored = options.libtest.list && options.libtest.ignored;
    if any || listing_ignored { Ok(selection) } else { Err(nothing(all, options)) }
}

/// Every name that an option lists is one of `names`.
fn known<'a>(
    option: &'static str,
    asked: &[String],
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), SelectionError> {
    let Some(name) = asked.iter().find(|asked| !names.clone().any(|name| name == *asked)) else { return Ok(()) };
    let nearest = nearest(name, names.clone()).map(str::to_owned);
    let known: BTreeSet<&str> = names.collect();
    let known = known.into_iter().map(str::to_owned).collect();
    Err(SelectionError::UnknownName { option, name: name.clone(), nearest, known })
}

fn room(entry: &Entry) -> Option<&str> {
    match &entry.scope {
        Scope::Part { part: Part::Kernel(room), .. } => Some(room),
        _ => None,
    }
}

fn alternative(entry: &Entry) -> Option<&str> {
    match &entry.scope {
        Scope::Part { kind: Kind::Alternative(alternative), .. } => Some(&alternative.name),
        _ => None,
    }
}

/// What must be here is run, and says itself that it is absent.
fn is_required(entry: &Entry, options: &Options) -> bool {
    let Scope::Part { kind: Kind::Alternative(alternative), .. } = &entry.scope else { return false };
    alternative.presence == Presence::Absent && options.require.contains(&alternative.name)
}

fn wanted(entry: &Entry, options: &Options) -> bool {
    match &entry.scope {
        // A part of the list says nothing about the whole list.
        Scope::Coverage => !options.narrows(),
        Scope::Canary => true,
        Scope::Part { part, kind } => {
            let room = match part {
                Part::Kernel(room) => options.room.is_empty() || options.room.contains(room),
                _ => options.room.is_empty(),
            };
            room && (options.level.is_empty() || options.level.contains(&part.level()))
                && (options.claim.is_empty() || options.claim.contains(&kind.claim()))
        }
    }
}

fn reachable(entry: &Entry, options: &Options) -> bool {
    let ignored = entry.not_compared.is_some();
    let run = match (options.libtest.ignored, options.libtest.include_ignored) {
        (true, false) => ignored,
        (false, false) => !ignored || options.libtest.list,
        _ => true,
    };
    run && options.filter_matches(&entry.name)
}

fn nothing(all: &[Entry], options: &Options) -> SelectionError {
    let mut asked = Vec::new();
    let mut list = |option: &str, values: Vec<String>| {
        if !values.is_empty() {
            asked.push(format!("{option} {}", values.join(",")));
        }
    };
    list("--recipe", options.recipe.clone());
    list("--level", options.level.iter().map(Level::to_string).collect());
    list("--claim", options.claim.iter().map(ToString::to_string).collect());
    list("--room", options.room.clone());
    list("--skip", options.libtest.skip.clone());
    list(
        if options.libtest.exact { "--exact" } else { "the filter" },
        options.libtest.filter.iter().cloned().collect(),
    );
    let near_name = options.libtest.filter.as_deref().and_then(|filter| near_filter(filter, all));
    let asked = if asked.is_empty() { "the empty catalogue".to_owned() } else { asked.join(" with ") };
    SelectionError::Nothing { asked, nearest: near_name.map(str::to_owned) }
}

/// The name nearest to a filter, which may be a piece of a name.
fn near_filter<'a>(filter: &str, all: &'a [Entry]) -> Option<&'a str> {
    let pieces = all.iter().flat_map(|entry| {
        let name = entry.name.as_str();
        let starts = std::iter::once(0).chain(name.match_indices("::").map(|(at, _)| at + 2));
        starts.map(|start| &name[start..]).collect::<Vec<_>>()
    });
    let words = all.iter().flat_map(|entry| entry.name.split("::"));
    nearest(filter, pieces.chain(words))
}
