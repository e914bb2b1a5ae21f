use super::{code_lines, is_test};

fn code(line: &str) -> String {
    code_lines(line).next().expect("one line").1
}

#[test]
fn comments_and_strings_are_not_code() {
    assert_eq!(code("a(); // b()"), "a(); ");
    assert_eq!(code("/// b()"), "");
    assert_eq!(code(r#"a("b // \" c", d)"#), r#"a("", d)"#);
    assert_eq!(code(r#"matches!(c, '"') && x.unwrap()"#), "matches!(c, '') && x.unwrap()");
}

#[test]
fn test_files_are_known_by_their_place() {
    for path in ["a/src/b/tests.rs", "a/src/b/tests/c.rs", "a/tests/d.rs", "a/src/testing.rs"] {
        assert!(is_test(path), "{path}");
    }
    assert!(!is_test("a/src/b/tested.rs"));
}
