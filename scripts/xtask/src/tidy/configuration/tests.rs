use super::{AT_THE_ROOT, CHECK};
use crate::tidy::tests::subject;

#[test]
fn a_second_configuration_and_a_missing_one_are_found() {
    let complete: Vec<_> = AT_THE_ROOT.iter().map(|(_, home)| (*home, "")).collect();
    assert_eq!((CHECK.run)(&subject(&complete)), []);
    for second in ["kernels/library/clippy.toml", "kernels/library/.clippy.toml", "trainer/rustfmt.toml"] {
        let mut files = complete.clone();
        files.push((second, ""));
        assert_eq!((CHECK.run)(&subject(&files)).len(), 1, "{second}");
    }
    assert_eq!((CHECK.run)(&subject(&complete[1..])).len(), 1);
}
