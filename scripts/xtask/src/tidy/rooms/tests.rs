use super::CHECK;
use crate::tidy::tests::subject;

const CONTRACT: &str = "//! Add.\n//!\n//! **Computes.** a\n//!\n//! **Order of operations.** b\n//!\n//! **Variants.** c\n\
                        //!\n//! **Not promised.** d\n";

/// A library with the one room `ops/add`; `change` replaces a file, or removes it when the text is empty.
fn findings(change: (&str, &str)) -> Vec<String> {
    let mut files = vec![
        ("kernels/library/src/registry.rs", "const ROOMS: &[&dyn Room] = &[&ops::add::Add];"),
        ("kernels/library/src/ops/mod.rs", "pub mod add;\n"),
        ("kernels/library/src/ops/add/mod.rs", CONTRACT),
        ("kernels/library/src/ops/add/tests.rs", ""),
        ("golden/LEDGER.md", "# Ledger\n"),
        ("golden/add/cases.snap", "bits\n"),
    ];
    files.retain(|(path, _)| *path != change.0);
    if !change.1.is_empty() {
        files.push(change);
    }
    (CHECK.run)(&subject(&files)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_complete_room_is_green() {
    assert_eq!(findings(("", "")), [""; 0]);
}

#[test]
fn each_missing_part_is_named() {
    for (change, expected) in [
        (("kernels/library/src/registry.rs", "const ROOMS: &[&dyn Room] = &[];"), "ops::add is not registered"),
        (("kernels/library/src/ops/mod.rs", "mod adder;\n"), "expected `pub mod add;`"),
        (("kernels/library/src/ops/add/tests.rs", ""), "no tests.rs"),
        (("kernels/library/src/ops/add/mod.rs", "//! Add.\n"), "lacks **Computes.**"),
        (("golden/add/cases.snap", ""), "has no golden"),
        (("kernels/library/src/ops/add/mod.rs", ""), "no room was found"),
    ] {
        let found = findings(change);
        assert_eq!(found.len(), 1, "{change:?}: {found:?}");
        assert!(found[0].contains(expected), "{found:?}");
    }
}

#[test]
fn headings_in_another_order_are_found() {
    let swapped = CONTRACT.replace("Variants", "x").replace("Order of operations", "Variants");
    assert!(findings(("kernels/library/src/ops/add/mod.rs", &swapped))[0].contains("**Order of operations.**"));
}
