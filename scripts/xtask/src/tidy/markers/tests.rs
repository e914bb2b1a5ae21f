use super::{CHECK, MARKER};
use crate::tidy::tests::subject;

#[test]
fn a_marker_in_the_product_is_found() {
    let mut subject = subject(&[]);
    subject.binary = Some([b"\x7fELF\x00", MARKER.as_bytes(), b"\x00"].concat());
    assert_eq!((CHECK.run)(&subject).len(), 1);
    subject.binary = Some(b"\x7fELF".to_vec());
    assert_eq!((CHECK.run)(&subject), []);
}

#[test]
fn a_mutant_binary_without_a_marker_is_found() {
    let source = format!("pub const MARKER: &str = {MARKER:?};");
    let mut subject = subject(&[("trainer/faults/src/lib.rs", &source)]);
    subject.mutant = Some(b"\x7fELF".to_vec());
    assert_eq!((CHECK.run)(&subject).len(), 1);
    subject.mutant = Some(MARKER.as_bytes().to_vec());
    assert_eq!((CHECK.run)(&subject), []);
}
