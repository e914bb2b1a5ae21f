//! A file that nobody can read in one sitting is two files.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check =
    Check { name: "lengths", rule: "no source file and no document has more than 500 lines", run };

const LIMIT: usize = 500;
const EXTENSIONS: &[&str] = &["cu", "cuh", "h", "jinja", "md", "py", "rs", "sh", "toml", "yaml", "yml"];
/// Bits and lists that programs write.
const WRITTEN_BY_PROGRAMS: &[&str] = &["golden/", "suite/mustpass/", "trainer/engine/data/"];

fn run(subject: &Subject) -> Vec<Finding> {
    subject
        .files
        .iter()
        .filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension)))
        .filter(|(path, _)| !WRITTEN_BY_PROGRAMS.iter().any(|folder| path.starts_with(folder)))
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            let message = || format!("{lines} lines; expected at most {LIMIT}: split the file by what it is about");
            (lines > LIMIT).then(|| Finding::whole(path, message()))
        })
        .collect()
}

#[cfg(test)]
mod tests;
