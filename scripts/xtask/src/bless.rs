//! The only way in which golden files change.
//!
//! The product computes the new files and refuses on its own when controls are missed or two reference runs differ.
//! Here it is shown what would move; then files are copied and one row for each is appended to the ledger. No golden
//! is made without a reason, in CI, or from a tree that nobody can name.

mod proposal;
mod show;

use clap::Args;
use proposal::{Proposal, ProposalError, Row};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use xshell::{Shell, cmd};

/// The file to which rows are appended, in the golden folder.
const LEDGER: &str = "LEDGER.md";
/// What a new ledger begins with.
const HEADER: &str = "# Ledger of goldens\n\nAppended to by `cargo xtask bless`, never edited. The newest row of a \
                      file counts.\n\n| file | BLAKE3 | contracts | reason |\n| --- | --- | --- | --- |\n";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Recipe, room, or part of a golden's path.
    query: String,
    /// Why the bits change; name the contract and what it does now.
    #[arg(long)]
    reason: String,
    /// Shows what would move and writes nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Error)]
pub enum BlessError {
    #[error("goldens are never changed in CI: bless on your machine and commit the result")]
    Ci,
    #[error("the reason is empty; say which contract moved and why")]
    NoReason,
    #[error("the tree has changes outside golden/, so nobody could say which code made these bits; commit first:\n{0}")]
    Dirty(String),
    #[error("cannot read or write {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Proposal(#[from] ProposalError),
    #[error(transparent)]
    Command(#[from] xshell::Error),
}

/// Proposes, shows, copies and appends.
///
/// # Errors
/// When blessing is refused, or the product refuses to propose.
pub fn run(shell: &Shell, root: &Path, arguments: &Arguments) -> Result<(), BlessError> {
    let status = cmd!(shell, "git status --porcelain --untracked-files=all -- . :(exclude)golden").quiet().read()?;
    refuse(shell.var("CI").ok().as_deref(), &arguments.reason, &status)?;
    let out = tempfile::tempdir().map_err(|source| BlessError::Io { path: std::env::temp_dir(), source })?;
    let (query, directory) = (&arguments.query, out.path());
    cmd!(shell, "cargo run --quiet --bin lockstep -- golden propose --query {query} --out {directory}")
        .quiet()
        .run()?;
    let proposal = Proposal::read(directory)?;
    print!("{}", show::differences(&proposal, &root.join("golden"))?);
    if !arguments.dry_run {
        write(&proposal, &root.join("golden"), arguments.reason.trim())?;
        println!("written to golden/; review with `git diff golden` and commit");
    }
    Ok(())
}

fn refuse(ci: Option<&str>, reason: &str, status: &str) -> Result<(), BlessError> {
    if ci.is_some_and(|value| !value.is_empty() && value != "false") {
        return Err(BlessError::Ci);
    }
    if reason.trim().is_empty() {
        return Err(BlessError::NoReason);
    }
    if !status.trim().is_empty() {
        return Err(BlessError::Dirty(status.to_owned()));
    }
    Ok(())
}

/// Files first, rows last: if something fails between the two, the ledger disagrees with the folder and the suite is
/// red until the blessing is repeated.
fn write(proposal: &Proposal, golden: &Path, reason: &str) -> Result<(), BlessError> {
    for (file, bytes) in &proposal.files {
        let path = golden.join(file);
        let failed = |source| BlessError::Io { path: path.clone(), source };
        match bytes {
            Some(bytes) => {
                fs::create_dir_all(path.parent().unwrap_or(golden)).map_err(failed)?;
                fs::write(&path, bytes).map_err(failed)?;
            }
            None if path.exists() => fs::remove_file(&path).map_err(failed)?,
            None => {}
        }
    }
    let path = golden.join(LEDGER);
    let failed = |source| BlessError::Io { path: path.clone(), source };
    let mut ledger = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => HEADER.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    for row in proposal.rows.iter().filter(|row| !entered(&ledger, row)).collect::<Vec<_>>() {
        ledger.push_str(&row.with_reason(reason));
    }
    fs::write(&path, ledger).map_err(failed)
}

/// Whether the newest row of a file already says what the proposed one says.
fn entered(ledger: &str, row: &Row) -> bool {
    let head = format!("| {} | ", row.file);
    let newest = ledger.lines().rfind(|line| line.starts_with(&head));
    newest.is_some_and(|line| line.starts_with(&format!("{head}{} | ", row.digest)))
}

#[cfg(test)]
mod tests;
