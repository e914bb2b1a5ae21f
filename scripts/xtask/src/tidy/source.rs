//! What checks need to know about Rust source, line by line.

/// Whether a file holds tests only: `tests.rs`, a `tests` folder, or the `testing.rs` that rooms share.
pub(super) fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("/testing.rs") || path.split('/').any(|part| part == "tests")
}

/// Code of each line with its number from 1; comments and the contents of string literals on one line are blanked out.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, code(line)))
}

fn code(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    let mut inside = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' if inside => {
                characters.next();
            }
            // A quote as a character literal opens no string.
            '\'' if !inside && characters.peek() == Some(&'"') => {
                characters.next();
                code.push('\'');
            }
            '"' => {
                inside = !inside;
                code.push('"');
            }
            _ if inside => {}
            '/' if characters.peek() == Some(&'/') => break,
            other => code.push(other),
        }
    }
    code
}

#[cfg(test)]
mod tests;
