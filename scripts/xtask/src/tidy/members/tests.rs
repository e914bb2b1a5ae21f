use super::CHECK;
use crate::tidy::tests::subject;

fn findings(members: &str, default: &str) -> usize {
    let manifest = format!("[workspace]\nmembers = {members}\ndefault-members = {default}\n");
    (CHECK.run)(&subject(&[("Cargo.toml", &manifest)])).len()
}

#[test]
fn equal_lists_are_green_and_a_missing_or_extra_member_is_found() {
    assert_eq!(findings("['a', 'b']", "['.', 'a', 'b']"), 0);
    assert_eq!(findings("['a', 'b']", "['.', 'a']"), 1);
    assert_eq!(findings("['a']", "['.', 'a', 'b']"), 1);
    assert_eq!(findings("['b', 'a']", "['.', 'b', 'a']"), 1);
    assert_eq!(findings("[]", "['.']"), 1);
}
