use super::propose::change;
use super::*;

#[test]
fn a_recipe_uses_one_golden_for_each_part_and_shares_those_of_rooms() {
    let used: Vec<_> = used(&crate::testing::description()).into_iter().collect();
    assert_eq!(used, ["adamw/cases.snap", "scale/cases.snap", "tiny/block.snap", "tiny/end_to_end.snap"]);
}

#[test]
fn a_candidate_is_the_same_new_or_moved() {
    assert_eq!(change(Some("a\n"), "a\n"), Change::Same);
    assert_eq!(change(None, "a\nb\n"), Change::New { lines: 2 });
    let moved = change(Some("0 params/w f32 00\n1 params/w f32 01\n"), "0 params/w f32 00\n1 params/w f32 02\n");
    let Change::Moved { added, removed, names, diff } = &moved else { panic!("{moved:?}") };
    assert_eq!((added, removed, names.as_slice()), (&1, &1, &["1 params/w".to_owned()][..]));
    assert_eq!(diff.as_slice(), ["- 1 params/w f32 01", "+ 1 params/w f32 02"]);
    let proposal = Proposal {
        file: "tiny/end_to_end.snap".into(),
        candidate: "x".into(),
        contracts: vec!["scale.v1".into()],
        change: moved,
    };
    insta::assert_snapshot!(summary(&[proposal]), @r"
    ! moved  tiny/end_to_end.snap (+1 -1; scale.v1)
             1 params/w
             - 1 params/w f32 01
             + 1 params/w f32 02
    ");
}
