use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn an_unwrap_is_found_in_code_and_not_in_tests_or_comments() {
    let text = "let a = f().unwrap();\n// f().unwrap()\nlet b = f().unwrap_or(0);\n";
    let findings = (CHECK.run)(&subject(&[("a/src/b.rs", text), ("a/src/b/tests.rs", text)]));
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].path.as_str(), findings[0].line), ("a/src/b.rs", 1));
}
