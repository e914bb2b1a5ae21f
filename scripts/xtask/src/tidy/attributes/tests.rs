use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn both_forms_of_allow_are_found_and_expect_is_not() {
    let text = "#![allow(dead_code)]\n    #[allow(unused)]\n#[expect(unused, reason = \"x\")]\n// #[allow(unused)]\n";
    let lines: Vec<_> = (CHECK.run)(&subject(&[("a/b.rs", text)])).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn shared_test_code_may_allow_with_a_reason_and_nothing_else_may() {
    let (reason, bare) = ("#![allow(dead_code, reason = \"x\")]\n", "#![allow(dead_code)]\n");
    let files = [("a/tests/common/mod.rs", reason), ("a/tests/other/mod.rs", bare), ("a/src/b.rs", reason)];
    let paths: Vec<_> = (CHECK.run)(&subject(&files)).into_iter().map(|finding| finding.path).collect();
    assert_eq!(paths, ["a/src/b.rs", "a/tests/other/mod.rs"]);
}
