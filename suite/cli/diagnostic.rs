//! Errors as people see them. One that lies in a file is shown there, with a caret; the others keep their text.
#![forbid(unsafe_code)]

use engine::EngineError;
use engine::error::Snippet;
use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report, SourceOffset};

/// The text of an error, to be printed.
pub fn text(error: &EngineError) -> String {
    match error.snippet() {
        Some(snippet) => format!("{:?}", report(snippet)),
        None => format!("error: {error}"),
    }
}

fn report(snippet: Snippet<'_>) -> Report {
    let Snippet { path, text, line, column, message, nearest } = snippet;
    let start = SourceOffset::from_location(text, line, column).offset();
    // From the place to the end of its word: a key or a value.
    let length = text[start..].find(|c: char| c.is_whitespace() || c == ':').unwrap_or(0).max(1);
    let place = format!("line {line}, column {column}");
    let help = nearest.map_or_else(
        || "correct the file; `lockstep recipes` lists those that are shipped, as examples".to_owned(),
        |nearest| format!("did you mean `{nearest}`?"),
    );
    let diagnostic = MietteDiagnostic::new(format!("the recipe is not valid: {message}"))
        .with_label(LabeledSpan::at(start..start + length, place))
        .with_help(help);
    Report::new(diagnostic).with_source_code(NamedSource::new(path.to_string_lossy(), text.to_owned()))
}
