use super::CHECK;
use crate::tidy::tests::subject;

#[test]
fn a_root_without_the_attribute_is_found() {
    for path in ["trainer/plan/src/lib.rs", "scripts/xtask/src/main.rs", "suite/cli/mutant.rs"] {
        let findings = (CHECK.run)(&subject(&[(path, "//! Docs.\n// #![forbid(unsafe_code)]\nfn f() {}\n")]));
        assert_eq!(findings.len(), 1, "{path}");
    }
}

#[test]
fn the_two_homes_and_inner_modules_are_left_alone() {
    let files = [
        ("kernels/device/src/lib.rs", "//! Docs.\n"),
        ("trainer/plan/src/passes/mod.rs", "//! Docs.\n"),
        ("trainer/plan/src/lib.rs", "//! Docs.\n#![forbid(unsafe_code)]\n"),
    ];
    assert_eq!((CHECK.run)(&subject(&files)), []);
}
