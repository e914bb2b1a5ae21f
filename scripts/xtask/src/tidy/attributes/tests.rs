use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn both_forms_of_allow_are_found_and_expect_is_not() {
    let text = "#![allow(dead_code)]\n    #[allow(unused)]\n#[expect(unused, reason = \"x\")]\n// #[allow(unused)]\n";
    let lines: Vec<_> = (CHECK.run)(&subject(&[("a/b.rs", text)])).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [1, 2]);
}
