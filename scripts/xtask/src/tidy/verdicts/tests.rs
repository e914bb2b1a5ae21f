use super::{CHECK, README, SOURCE};
use crate::tidy::tests::subject;

const ENUM: &str = "            Self::Pass => 0,\n            Self::Drift => 11,\n            Self::Pass => \"All equal.\",\n\
                    Self::Drift => \"Not equal.\",\n Self::Pass => \"PASS\",\n Self::Drift => \"DRIFT\",\n";
const TABLE: &str =
    "| verdict | code |\n| `PASS` | 0 | All equal. |\n| `DRIFT` | 11 | Not equal. |\n| `golden` | x |\n";

fn findings(readme: &str) -> usize {
    (CHECK.run)(&subject(&[(SOURCE, ENUM), (README, readme)])).len()
}

#[test]
fn an_equal_table_is_green_and_every_difference_is_found() {
    assert_eq!(findings(TABLE), 0);
    assert_eq!(findings(&TABLE.replace("| `DRIFT` | 11 | Not equal. |\n", "")), 1);
    assert_eq!(findings(&TABLE.replace("11", "12")), 2);
    assert_eq!(findings(&TABLE.replace("All equal", "Equal")), 2);
    assert_eq!(findings(&format!("{TABLE}| `FLAKY` | 9 | Try again. |\n")), 1);
}

#[test]
fn a_source_without_verdicts_is_red() {
    assert_eq!((CHECK.run)(&subject(&[(SOURCE, ""), (README, TABLE)])).len(), 1);
}
