use super::{CHECK, TABLE};
use crate::tidy::{Dependency, DependencyKind, Package, Subject};

fn subject(package: &str, folder: &str, dependency: &str, kind: DependencyKind) -> Subject {
    let dependency = Dependency { name: dependency.to_owned(), path: None, kind };
    let named = |name: &str, folder: &str, dependencies| Package {
        name: name.to_owned(),
        folder: folder.to_owned(),
        license: None,
        dependencies,
    };
    let mut packages: Vec<_> =
        TABLE.iter().filter(|row| row.package != package).map(|row| named(row.package, row.package, vec![])).collect();
    packages.push(named(package, folder, vec![dependency]));
    Subject { packages, ..Subject::default() }
}

#[test]
fn a_forbidden_edge_is_found_in_every_kind_of_dependency() {
    for kind in [DependencyKind::Normal, DependencyKind::Dev, DependencyKind::Build] {
        let findings = (CHECK.run)(&subject("driver", "suite/driver", "numerics", kind));
        assert_eq!(findings.len(), 1, "{kind:?}");
        assert_eq!(findings[0].path, "suite/driver/Cargo.toml");
        assert!(findings[0].message.contains("`driver` (level 3) must not depend on `numerics`"), "{}", findings[0]);
    }
}

#[test]
fn an_edge_that_only_tests_may_have_is_refused_elsewhere() {
    let red = (CHECK.run)(&subject("library", "kernels/library", "fingerprint", DependencyKind::Normal));
    assert_eq!(red.len(), 1);
    let green = (CHECK.run)(&subject("library", "kernels/library", "fingerprint", DependencyKind::Dev));
    assert!(green.is_empty(), "{green:?}");
}

#[test]
fn crates_outside_the_workspace_do_not_matter_and_unknown_members_do() {
    assert!((CHECK.run)(&subject("judge", "suite/judge", "serde", DependencyKind::Normal)).is_empty());
    let findings = (CHECK.run)(&subject("newcomer", "suite/newcomer", "serde", DependencyKind::Normal));
    assert!(findings[0].message.contains("not in the table"), "{}", findings[0]);
}

#[test]
fn suite_crates_may_use_no_crate_of_the_trainer_or_the_kernels() {
    for row in TABLE.iter().filter(|row| ["fingerprint", "contract", "judge", "driver"].contains(&row.package)) {
        for (name, _) in row.may_use.iter().chain(row.tests_may_use) {
            assert!(["fingerprint", "contract", "judge"].contains(name), "{} uses {name}", row.package);
        }
    }
}

#[test]
fn every_allowed_edge_goes_down_or_stays_level_and_has_a_reason() {
    let level = |name: &str| TABLE.iter().find(|row| row.package == name).expect("a listed crate").level;
    for row in TABLE {
        for (name, reason) in row.may_use.iter().chain(row.tests_may_use) {
            assert!(level(name) <= row.level, "{} is below {name}", row.package);
            assert!(!reason.is_empty());
            let back = TABLE.iter().find(|other| other.package == *name).expect("a listed crate");
            assert!(
                back.may_use.iter().all(|(used, _)| *used != row.package),
                "{} and {name} form a circle",
                row.package
            );
        }
    }
}
