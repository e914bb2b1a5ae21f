use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn a_file_of_501_lines_is_found_and_one_of_500_is_not() {
    let (long, full) = ("x\n".repeat(501), "x\n".repeat(500));
    let findings = (CHECK.run)(&subject(&[("a/long.rs", &long), ("b/long.md", &long), ("a/full.rs", &full)]));
    let paths: Vec<_> = findings.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(paths, ["a/long.rs", "b/long.md"]);
    assert!(findings[0].message.starts_with("501 lines"), "{}", findings[0]);
}

#[test]
fn what_programs_write_may_be_long() {
    let long = "x\n".repeat(501);
    assert_eq!((CHECK.run)(&subject(&[("golden/LEDGER.md", &long), ("Cargo.lock", &long)])), []);
}
