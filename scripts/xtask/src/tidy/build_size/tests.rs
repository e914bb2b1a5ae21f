use super::CHECK;
use crate::tidy::Subject;

fn findings(count: usize) -> usize {
    let build = (0..count).map(|index| format!("crate{index} v1.0.0")).collect();
    (CHECK.run)(&Subject { build, ..Subject::default() }).len()
}

#[test]
fn the_251st_crate_and_an_empty_list_are_found() {
    assert_eq!([findings(0), findings(1), findings(250), findings(251)], [1, 0, 0, 1]);
}
