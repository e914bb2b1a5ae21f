//! Which recipes may be compared for their precision: those that say the same in everything else.

use crate::recipe::Recipe;
use crate::semantics::Semantics;
use serde_json::Value;
use std::collections::BTreeSet;

/// Sections of `semantics` that may differ.
const FREE: [&str; 2] = ["precision", "profile"];
/// Key of the number of steps: two runs that are stopped at one step do not depend on it.
const STEPS: &str = "steps";

/// A key of `semantics` with the value that each of two recipes has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Dotted: `semantics.data.leaves`.
    pub key: String,
    pub left: String,
    pub right: String,
}

/// Keys other than profile and precision in which two recipes differ, ascending; `semantics.steps` only when the runs
/// are not `stopped` at a common step.
#[must_use]
pub fn differences(left: &Recipe, right: &Recipe, stopped: bool) -> Vec<Difference> {
    let tree = |semantics: &Semantics| serde_json::to_value(semantics).expect("semantics are plain data");
    let (mut left, mut right) = (tree(&left.semantics), tree(&right.semantics));
    for tree in [&mut left, &mut right] {
        let keys = tree.as_object_mut().expect("semantics are a map");
        FREE.iter().for_each(|key| drop(keys.remove(*key)));
        if stopped {
            keys.remove(STEPS);
        }
    }
    let mut found = Vec::new();
    walk("semantics", Some(&left), Some(&right), &mut found);
    found
}

fn walk(key: &str, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<Difference>) {
    if left == right {
        return;
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (left, right) {
        let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        return names.into_iter().for_each(|name| walk(&format!("{key}.{name}"), a.get(name), b.get(name), found));
    }
    let text = |side: Option<&Value>| side.map_or_else(|| "absent".to_owned(), Value::to_string);
    found.push(Difference { key: key.to_owned(), left: text(left), right: text(right) });
}

/// `base` with the name, the profile and the precision of `other`.
///
/// # Errors
/// When the two do not go together.
pub fn aligned(base: &Recipe, other: &Recipe) -> Result<Recipe, crate::semantics::Invalid> {
    let mut recipe = base.clone();
    recipe.name.clone_from(&other.name);
    recipe.about = format!("{}, with the profile and the precision of {}.", base.name, other.name);
    (recipe.semantics.profile, recipe.semantics.precision) = (other.semantics.profile, other.semantics.precision);
    recipe.semantics.validate()?;
    Ok(recipe)
}
