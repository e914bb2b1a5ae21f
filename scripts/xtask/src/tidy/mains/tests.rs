use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn a_main_of_31_lines_is_found_and_one_of_30_is_not() {
    let main = |lines: usize| format!("fn main() {{\n{}}}\n", "    step();\n".repeat(lines - 2));
    let (long, full) = (main(31), main(30));
    let files = [("suite/cli/main.rs", long.as_str()), ("suite/cli/mutant.rs", &full), ("a/examples/b.rs", &long)];
    let findings = (CHECK.run)(&subject(&files));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].path, "suite/cli/main.rs");
    let tests = [("suite/tests/determinism/main.rs", long.as_str()), ("suite/driver/tests/own.rs", &long)];
    assert_eq!((CHECK.run)(&subject(&tests)).len(), 1);
}
