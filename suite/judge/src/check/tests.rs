use super::*;
use crate::battery::craft::Craft;

fn judged(checks: &[(&str, u64, u64)]) -> Outcome {
    let mut craft = Craft::kernel("n");
    let record = |(name, elements, worst): &(&str, u64, u64)| {
        let body = Body::Check { name: (*name).to_owned(), elements: *elements, worst_thousandths: *worst };
        ("prime".to_owned(), body)
    };
    craft.ranks[0][1].1.extend(checks.iter().map(record));
    let scratch = tempfile::tempdir().unwrap();
    craft.write(&scratch.path().join("run")).unwrap();
    check("rmsnorm", &scratch.path().join("run"))
}

#[test]
fn an_error_of_the_whole_bound_is_within_it_and_one_thousandth_more_is_wrong() {
    assert_eq!(judged(&[("y", 12, 1000), ("dx", 12, 3)]).verdict, Verdict::Pass);
    let wrong = judged(&[("y", 12, 20), ("dx", 12, 1001)]);
    assert_eq!(wrong.verdict, Verdict::Wrong);
    assert!(wrong.message.contains("`dx` in case `prime`") && wrong.message.contains("1.001"), "{}", wrong.message);
}

#[test]
fn no_check_and_a_tensor_without_a_checked_element_are_invalid() {
    assert_eq!(judged(&[]).verdict, Verdict::Invalid);
    assert_eq!(judged(&[("y", 0, 0)]).verdict, Verdict::Invalid);
    assert_eq!(judged(&[("y", 5, 0), ("dx", 0, 0)]).verdict, Verdict::Invalid);
    assert_eq!(judged(&[("y", 0, 0), ("y", 5, 0)]).verdict, Verdict::Pass);
}
