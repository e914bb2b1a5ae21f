use super::*;
use crate::battery::craft::Craft;

fn audited(bend: impl Fn(&mut Craft)) -> Result<Audit, String> {
    let mut craft = Craft::training("n", 4, 1);
    bend(&mut craft);
    let scratch = tempfile::tempdir().unwrap();
    craft.write(&scratch.path().join("run")).unwrap();
    audit(&scratch.path().join("run")).map_err(|error| error.to_string())
}

#[test]
fn a_sound_run_is_counted() {
    assert_eq!(audited(|_| {}), Ok(Audit { steps: 4, records: 4 * 14 + 1, leaves: 6, scalars: 2 }));
}

#[test]
fn bits_are_finite_unless_the_exponent_is_all_ones() {
    for (bits, finite) in [("7f7fffff", true), ("ff800000", false), ("7fc00000", false), ("00000000", true)] {
        assert_eq!(is_finite(bits), Some(finite), "{bits}");
    }
    assert_eq!(is_finite("7fff"), Some(false));
    assert_eq!(is_finite("7f7f"), Some(true));
    assert_eq!(is_finite("7ff0000000000000"), Some(false));
    assert_eq!(is_finite("7fefffffffffffff"), Some(true));
    for bits in ["1.5", "", "7F800000", "123", "+3f80000"] {
        assert_eq!(is_finite(bits), None, "{bits}");
    }
}

#[test]
fn a_leaf_or_scalar_with_two_values_in_one_step_is_refused() {
    let twice = |name: &'static str| {
        audited(move |craft| {
            let records = &mut craft.ranks[0][1].1;
            let (phase, mut body) = records.iter().find(|(_, body)| said(body) == name).unwrap().clone();
            match &mut body {
                Body::State { fingerprint, .. } => fingerprint.0 += 1,
                Body::Scalar { bits, .. } => "3f800000".clone_into(bits),
                _ => unreachable!("only leaves and scalars are asked for"),
            }
            records.push((phase, body));
        })
    };
    for name in ["params/w", "loss"] {
        assert!(twice(name).unwrap_err().contains("two values"), "{name}");
    }
}

fn said(body: &Body) -> &str {
    match body {
        Body::State { leaf, .. } => leaf,
        Body::Scalar { name, .. } => name,
        _ => "",
    }
}

#[test]
fn a_scalar_that_is_a_decimal_is_refused() {
    assert!(audited(|craft| craft.set(0, 2, "loss", "2.5")).unwrap_err().contains("not hexadecimal"));
}

#[test]
fn ranks_that_disagree_on_a_leaf_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let mut craft = Craft::training("n", 3, 2);
    craft.set(1, 1, "params/w", "other");
    craft.write(&scratch.path().join("run")).unwrap();
    assert!(audit(&scratch.path().join("run")).unwrap_err().to_string().contains("disagree"));
}
