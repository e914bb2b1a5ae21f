//! Documents name things that exist.

use super::{CHECKS, Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "documents",
    rule: "paths and keeper tests that documents name exist, and ARCHITECTURE maps every crate",
    run,
};

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const DOCUMENTS: &[&str] =
    &["README.md", ARCHITECTURE, "CONTRIBUTING.md", "BENCHMARKS.md", "kernels/NUMERICS.md", "ci/README.md"];
/// Folders at the root: code spans that start with one of them are paths.
/// Goldens and lists of trials are left out: programs write them, and checks of their own look for them.
const ROOTS: &[&str] = &[".ci/", ".config/", ".github/", "ci/", "kernels/", "scripts/", "suite/", "trainer/"];

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for document in DOCUMENTS {
        let Some(text) = subject.files.get(*document) else {
            findings.push(Finding::whole(document, "the document is missing"));
            continue;
        };
        for (line, span) in spans(text) {
            if is_path(span) && !exists(subject, span) {
                findings.push(Finding::at(document, line, format!("`{span}` does not exist")));
            }
            if let Some(problem) = keeper(subject, span) {
                findings.push(Finding::at(document, line, problem));
            }
        }
    }
    let map = subject.files.get(ARCHITECTURE).map_or("", String::as_str);
    for package in subject.packages.iter().filter(|package| !package.folder.is_empty()) {
        if !map.contains(&format!("`{}`", package.folder)) {
            findings.push(Finding::whole(ARCHITECTURE, format!("the code map lacks `{}`", package.folder)));
        }
    }
    findings
}

/// Code spans of one line, outside fenced blocks, with their line from 1.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut spans = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            spans.extend(line.split('`').skip(1).step_by(2).map(|span| (number + 1, span)));
        }
    }
    spans
}

/// Spans with a placeholder (capitals, `<`, `{`, `*`, `…`) or several words are no paths.
fn is_path(span: &str) -> bool {
    let stem = span.rsplit('/').next().unwrap_or(span);
    let capitals = |part: &str| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    ROOTS.iter().any(|root| span.starts_with(root))
        && !span.starts_with("suite/mustpass")
        && !span.contains(['<', '{', '*', '…', ' '])
        && !span.split('/').any(|part| capitals(part.split('.').next().unwrap_or(part)) && part != stem)
        && !capitals(stem)
        && (stem.ends_with(".md") || !capitals(stem.split('.').next().unwrap_or(stem)))
}

fn exists(subject: &Subject, path: &str) -> bool {
    let folder = format!("{}/", path.trim_end_matches('/'));
    subject.files.contains_key(path) || subject.files.keys().any(|file| file.starts_with(&folder))
}

/// `tidy::NAME` names a check; `test::NAME` a test function.
fn keeper(subject: &Subject, span: &str) -> Option<String> {
    if let Some(name) = span.strip_prefix("tidy::") {
        return CHECKS.iter().all(|check| check.name != name).then(|| format!("tidy has no check `{name}`"));
    }
    let name = span.strip_prefix("test::")?;
    let head = format!("fn {name}(");
    let known = subject.rust_files().any(|(_, text)| text.contains(&head));
    (!known).then(|| format!("no test is called `{name}`"))
}

#[cfg(test)]
mod tests;
