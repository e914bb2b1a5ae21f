use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn a_test_inside_the_code_is_found_at_its_line() {
    let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn g() {}\n}\n";
    let lines: Vec<_> = (CHECK.run)(&subject(&[("a/src/b.rs", text)])).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn test_files_and_declarations_are_left_alone() {
    let files = [("a/src/b/tests.rs", "#[test]\nfn f() {}\n"), ("a/src/b.rs", "#[cfg(test)]\nmod tests;\n")];
    assert_eq!((CHECK.run)(&subject(&files)), []);
}
