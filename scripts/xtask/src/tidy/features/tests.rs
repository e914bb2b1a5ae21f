use super::CHECK;
use crate::tidy::tests::subject;

fn findings(manifest: &str) -> usize {
    (CHECK.run)(&subject(&[("a/Cargo.toml", manifest)])).len()
}

#[test]
fn features_and_optional_dependencies_are_found() {
    assert_eq!(findings("[package]\nname = 'a'\n[dependencies]\nb.workspace = true\n"), 0);
    assert_eq!(findings("[features]\ngpu = []\n"), 1);
    assert_eq!(findings("[dependencies]\nb = { version = '1', optional = true }\n"), 1);
    assert_eq!(findings("[features\n"), 1);
}
