use super::{CHECK, DOCUMENTS};
use crate::tidy::Package;
use crate::tidy::tests::subject;

/// Findings when ARCHITECTURE.md has this text and the other documents are empty.
fn findings(architecture: &str) -> Vec<String> {
    let mut files: Vec<_> = DOCUMENTS.iter().map(|document| (*document, "")).collect();
    files.retain(|(path, _)| *path != "ARCHITECTURE.md");
    files.push(("ARCHITECTURE.md", architecture));
    files.push(("kernels/numerics/src/lib.rs", "#[test]\nfn one_is_one() {}\n"));
    let mut subject = subject(&files);
    subject.packages.push(Package {
        name: "numerics".to_owned(),
        folder: "kernels/numerics".to_owned(),
        license: None,
        dependencies: Vec::new(),
    });
    (CHECK.run)(&subject).iter().map(ToString::to_string).collect()
}

#[test]
fn what_exists_is_green_and_placeholders_are_no_paths() {
    let text = "`kernels/numerics` `kernels/numerics/src/lib.rs` `tidy::edges` `test::one_is_one` `golden/ROOM/x.snap`\n\
                ```\n`kernels/nowhere`\n```\n`suite/recipes/<name>.yaml`\n";
    assert_eq!(findings(text), [""; 0]);
}

#[test]
fn paths_checks_and_tests_that_do_not_exist_are_found_at_their_line() {
    for (span, expected) in [
        ("kernels/nowhere.rs", "ARCHITECTURE.md:2: `kernels/nowhere.rs` does not exist"),
        ("tidy::nothing", "ARCHITECTURE.md:2: tidy has no check `nothing`"),
        ("test::two_is_one", "ARCHITECTURE.md:2: no test is called `two_is_one`"),
    ] {
        assert_eq!(findings(&format!("`kernels/numerics`\n`{span}`\n")), [expected]);
    }
}

#[test]
fn a_crate_without_a_place_on_the_map_is_found() {
    assert_eq!(findings("nothing\n"), ["ARCHITECTURE.md: the code map lacks `kernels/numerics`"]);
}

#[test]
fn a_missing_document_is_found() {
    assert_eq!((CHECK.run)(&subject(&[])).len(), DOCUMENTS.len());
}
