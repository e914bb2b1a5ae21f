use super::{CHECK, NOTES, PATHS};
use crate::tidy::tests::subject;

#[test]
fn every_forbidden_word_is_found_at_its_line() {
    for word in NOTES.iter().chain(PATHS) {
        let text = format!("fn f() {{}}\n// see {word} for more\n");
        let findings = (CHECK.run)(&subject(&[("a/b.rs", &text)]));
        assert_eq!(findings.len(), 1, "{word}");
        assert_eq!(findings[0].line, 2);
    }
}

#[test]
fn a_note_inside_a_longer_word_and_the_corpus_are_left_alone() {
    let longer = format!("{}S_AND_DONTS mktemp.{}X", NOTES[0], NOTES[2]);
    let files = [("a/b.rs", longer.as_str()), ("trainer/engine/data/jargon.txt", NOTES[1])];
    assert_eq!((CHECK.run)(&subject(&files)), []);
}

#[test]
fn a_crate_from_elsewhere_is_found() {
    let lock = "name = \"a\"\nsource = \"registry+https://example.org/index\"\n";
    let findings = (CHECK.run)(&subject(&[("Cargo.lock", lock)]));
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("expected crates.io"), "{}", findings[0]);
}
