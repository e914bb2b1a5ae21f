//! A claim in the list of claims.

use super::{NewError, Tree, check_name, type_name};

const CLAIMS: &str = "suite/contract/src/claim.rs";

pub(super) fn write(tree: &mut Tree, name: &str) -> Result<String, NewError> {
    check_name(name, '_')?;
    let kind = type_name(name);
    let text = tree.read(CLAIMS)?;
    if text.contains(&format!("    {kind},")) {
        return Err(NewError::Exists { path: format!("claim `{name}` in {CLAIMS}") });
    }
    // Everything before the enum of levels, which has the same shape.
    let Some((claims, rest)) = text.split_once("/// How large the piece under trial is.") else {
        return Err(form("the enum of levels after the enum of claims"));
    };
    let claims = after_last(claims, "    /// ", &format!("    /// Says what `{name}` promises.\n    {kind},"), 2)?;
    let claims = after_last(&claims, "        Self::", &format!("        Self::{kind},"), 1)?;
    let claims = after_last(&claims, "            Self::", &format!("            Self::{kind} => \"{name}\","), 1)?;
    let claims = count(&claims)?;
    tree.change(CLAIMS, format!("{claims}/// How large the piece under trial is.{rest}"));
    Ok(format!(
        "  1. say in {CLAIMS} what `{name}` promises\n  \
         2. cargo check --workspace: every match that must know the claim is an error\n  \
         3. plant a fault that only this claim catches\n  \
         4. list the claim in a recipe, and its trials in suite/mustpass"
    ))
}

fn form(expected: &str) -> NewError {
    NewError::Form { path: CLAIMS.to_owned(), expected: expected.to_owned() }
}

/// Puts `insertion` after the last line with exactly this indentation and start, and `lines − 1` lines further on.
fn after_last(text: &str, start: &str, insertion: &str, lines: usize) -> Result<String, NewError> {
    let mut all: Vec<&str> = text.split('\n').collect();
    let found = all.iter().rposition(|line| line.starts_with(start)).ok_or_else(|| form(start))?;
    all.insert(found + lines, insertion);
    Ok(all.join("\n"))
}

/// Raises the length of `ALL` by one.
fn count(text: &str) -> Result<String, NewError> {
    let head = "pub const ALL: [Self; ";
    let parts = text.split_once(head).and_then(|(before, after)| Some((before, after.split_once(']')?)));
    let Some((before, (length, after))) = parts else { return Err(form(head)) };
    let length: usize = length.parse().map_err(|_| form("a number as the length of ALL"))?;
    Ok(format!("{before}{head}{}]{after}", length + 1))
}
