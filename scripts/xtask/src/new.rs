//! Skeletons: what every room, recipe or claim has, so that a newcomer starts from something that works.
//!
//! A new room is a complete one that copies its input. It compiles and passes its tests; its golden is missing, so the
//! suite stays red until the bits are blessed. A fault has no skeleton: it is one entry of a list.

mod claim;
mod recipe;
mod room;
mod tree;

use clap::{Args, Subcommand};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use tree::Tree;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// A folder with contract, reference, variant, cases, oracle and tests, registered.
    #[command(after_help = "Example:\n  cargo xtask new room lion --group optim")]
    Room {
        /// In snake case; also the name of its kernels and of its golden folder.
        name: String,
        /// Folder of rooms.
        #[arg(long, default_value = "ops")]
        group: String,
    },
    /// A recipe file that starts as a copy of another one.
    #[command(after_help = "Example:\n  cargo xtask new recipe dense-small --from dense-text")]
    Recipe {
        /// Words joined by hyphens.
        name: String,
        /// The recipe to copy.
        #[arg(long, default_value = "dense-ieee")]
        from: String,
    },
    /// A claim in the list of claims; the compiler then names every place that must know it.
    #[command(after_help = "Example:\n  cargo xtask new claim overlap")]
    Claim {
        /// In snake case.
        name: String,
    },
}

#[derive(Debug, Error)]
pub enum NewError {
    #[error("`{name}` is no name: expected lowercase words joined by `{joint}`")]
    Name { name: String, joint: char },
    #[error("{path} exists already")]
    Exists { path: String },
    #[error("{path} does not have the form that is expected here: {expected}")]
    Form { path: String, expected: String },
    #[error("cannot read or write {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the template {name} cannot be rendered: {source}")]
    Template { name: &'static str, source: minijinja::Error },
}

/// Writes a skeleton below `root` and prints what to do next.
///
/// # Errors
/// When the name is not one, something of that name exists, or a file cannot be written.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), NewError> {
    let mut tree = Tree::new(root);
    let next = match &arguments.kind {
        Kind::Room { name, group } => room::write(&mut tree, group, name)?,
        Kind::Recipe { name, from } => recipe::write(&mut tree, name, from)?,
        Kind::Claim { name } => claim::write(&mut tree, name)?,
    };
    for path in tree.save()? {
        println!("wrote {path}");
    }
    println!("next:\n{next}");
    Ok(())
}

/// Checks a name: lowercase words of letters and digits, joined by `joint`.
fn check_name(name: &str, joint: char) -> Result<(), NewError> {
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.split(joint).enumerate().all(|(index, part)| word(part) || (index > 0 && is_number(part))) {
        return Ok(());
    }
    Err(NewError::Name { name: name.to_owned(), joint })
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// `residual_add` → `ResidualAdd`.
fn type_name(name: &str) -> String {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

#[cfg(test)]
mod tests;
