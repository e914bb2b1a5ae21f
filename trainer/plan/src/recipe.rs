//! Reads recipe files: strict YAML, with the line and the nearest key in every error.

use crate::graph::suggestion;
use crate::semantics::{Invalid, Semantics};
use contract::recipe::{RecipeFile, nearest};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A whole recipe.
pub type Recipe = RecipeFile<Semantics>;

#[derive(Debug, Error)]
pub enum RecipeError {
    #[error("no recipe is called `{name}`.{} Known recipes: {known}. `lockstep recipes` lists them; a path ending in .yaml works too.", suggestion(nearest.as_ref()))]
    Unknown { name: String, nearest: Option<String>, known: String },
    #[error("cannot read recipe {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("recipe {path}: {message}.{}", suggestion(nearest.as_ref()))]
    Parse {
        path: PathBuf,
        message: String,
        nearest: Option<String>,
        text: String,
        line: Option<usize>,
        column: Option<usize>,
    },
    #[error("recipe {path}: {source}")]
    Invalid { path: PathBuf, source: Invalid },
    #[error("recipe {path} is called `{name}`; expected the file's stem, `{stem}`")]
    Name { path: PathBuf, name: String, stem: String },
    #[error("--set {key}: {message}{}", suggestion(nearest.as_ref()))]
    Set { key: String, message: String, nearest: Option<String> },
}

/// Where the recipes shipped with the product lie in the source tree; they are part of the binary.
const SHIPPED: &[(&str, &str)] = &[
    ("dense-bf16-ieee", include_str!("../../../suite/recipes/dense-bf16-ieee.yaml")),
    ("dense-fp16-hopper", include_str!("../../../suite/recipes/dense-fp16-hopper.yaml")),
    ("dense-hopper", include_str!("../../../suite/recipes/dense-hopper.yaml")),
    ("dense-ieee", include_str!("../../../suite/recipes/dense-ieee.yaml")),
    ("dense-text", include_str!("../../../suite/recipes/dense-text.yaml")),
];

/// Names of the shipped recipes, ascending.
#[must_use]
pub fn names() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| *name).collect()
}

/// Loads a shipped recipe by name, or a file by a path that ends in `.yaml`.
///
/// # Errors
/// When there is no such recipe, or it is not valid; the error names the line and the nearest key.
pub fn load(name_or_path: &str) -> Result<Recipe, RecipeError> {
    if Path::new(name_or_path).extension().is_some_and(|extension| extension == "yaml") {
        let path = PathBuf::from(name_or_path);
        let text = std::fs::read_to_string(&path).map_err(|source| RecipeError::Read { path: path.clone(), source })?;
        return parse(&text, &path);
    }
    match SHIPPED.iter().find(|(name, _)| *name == name_or_path) {
        Some((name, text)) => parse(text, Path::new(&format!("{name}.yaml"))),
        None => Err(RecipeError::Unknown {
            name: name_or_path.to_owned(),
            nearest: nearest(name_or_path, names()).map(str::to_owned),
            known: names().join(", "),
        }),
    }
}

/// A recipe as the text of its file.
#[must_use]
pub fn text(recipe: &Recipe) -> String {
    serde_yaml::to_string(recipe).expect("a recipe is plain data")
}

/// Parses and validates the text of a recipe; `path` is for messages and for the name's check.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, path: &Path) -> Result<Recipe, RecipeError> {
    let recipe: Recipe = serde_yaml::from_str(text).map_err(|error| {
        let message = error.to_string();
        let location = error.location();
        RecipeError::Parse {
            path: path.to_owned(),
            nearest: nearest_key(&message),
            message,
            text: text.to_owned(),
            line: location.as_ref().map(serde_yaml::Location::line),
            column: location.as_ref().map(serde_yaml::Location::column),
        }
    })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if recipe.name != stem {
        return Err(RecipeError::Name { path: path.to_owned(), name: recipe.name, stem });
    }
    recipe.semantics.validate().map_err(|source| RecipeError::Invalid { path: path.to_owned(), source })?;
    Ok(recipe)
}

/// From serde's "unknown field `x`, expected one of `a`, `b`" the known key nearest to the unknown one.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.contains("unknown field") || message.contains("unknown variant"))?;
    nearest(unknown, quoted).map(str::to_owned)
}

/// Overrides keys of `execution` by dotted path.
///
/// # Errors
/// When a key does not exist or the value has another type.
pub fn set(
    recipe: &mut Recipe,
    overrides: &std::collections::BTreeMap<String, serde_json::Value>,
) -> Result<(), RecipeError> {
    for (key, value) in overrides {
        let mut tree = serde_json::to_value(&recipe.execution).expect("execution is plain data");
        let mut at = &mut tree;
        for part in key.split('.') {
            let known: Vec<String> = at.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
            at = at.get_mut(part).ok_or_else(|| RecipeError::Set {
                key: key.clone(),
                message: format!("`execution` has no key `{part}` there."),
                nearest: nearest(part, known.iter().map(String::as_str)).map(str::to_owned),
            })?;
        }
        *at = value.clone();
        recipe.execution = serde_json::from_value(tree)
            .map_err(|error| error.to_string())
            .map_err(|message| RecipeError::Set { key: key.clone(), nearest: nearest_key(&message), message })?;
    }
    Ok(())
}
