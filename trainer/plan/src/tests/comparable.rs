use crate::comparable::{aligned, differences};
use crate::recipe::load;

fn keys(left: &str, right: &str, stopped: bool) -> Vec<String> {
    let (left, right) = (load(left).unwrap(), load(right).unwrap());
    differences(&left, &right, stopped).into_iter().map(|difference| difference.key).collect()
}

#[test]
fn precision_and_profile_are_no_difference_and_everything_else_is() {
    let expected = ["semantics.optimizer.overflow_steps", "semantics.optimizer.schedule.total", "semantics.steps"];
    assert_eq!(keys("dense-ieee", "dense-bf16-ieee", false), expected);
    assert_eq!(keys("dense-ieee", "dense-bf16-ieee", true), expected[..2]);
    assert!(keys("dense-ieee", "dense-ieee", false).is_empty());
    let hopper = keys("dense-ieee", "dense-hopper", true);
    assert!(hopper.contains(&"semantics.data.documents".to_owned()), "{hopper:?}");
    assert!(!hopper.iter().any(|key| key.contains("profile") || key.contains("precision")), "{hopper:?}");
}

#[test]
fn a_difference_shows_both_values() {
    let (left, right) = (load("dense-ieee").unwrap(), load("dense-bf16-ieee").unwrap());
    let total = differences(&left, &right, true).pop().unwrap();
    assert_eq!((total.left.as_str(), total.right.as_str()), ("8", "7"));
}

#[test]
fn an_aligned_recipe_differs_in_precision_alone() {
    let (left, right) = (load("dense-ieee").unwrap(), load("dense-hopper").unwrap());
    let aligned = aligned(&left, &right).unwrap();
    assert!(differences(&left, &aligned, false).is_empty());
    assert_eq!(aligned.semantics.precision, right.semantics.precision);
    assert_eq!(aligned.semantics.profile, right.semantics.profile);
    assert_eq!((aligned.name.as_str(), &aligned.execution), ("dense-hopper", &left.execution));
    assert_ne!(aligned.digest(), right.digest());
}
