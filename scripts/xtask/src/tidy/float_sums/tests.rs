use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn sums_of_floats_are_found_and_sums_of_integers_are_not() {
    let text = "let a = x.iter().sum::<f32>();\nlet b: f64 = y.iter().product();\nlet c: usize = z.iter().sum();\n\
                let d = z.iter().sum::<u64>();\n";
    let lines: Vec<_> = (CHECK.run)(&subject(&[("a/src/b.rs", text)])).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [1, 2]);
}
