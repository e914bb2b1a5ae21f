use super::CHECK;
use crate::tidy::tests::subject;

const GOOD: &str = "\
on:
  pull_request:
  merge_group:
permissions:
  contents: read
concurrency:
  group: a
jobs:
  test:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - run: cargo test
";

fn findings(text: &str) -> Vec<String> {
    (CHECK.run)(&subject(&[(".github/workflows/ci.yml", text)])).iter().map(ToString::to_string).collect()
}

#[test]
fn a_careful_workflow_is_green() {
    assert_eq!(findings(GOOD), [""; 0]);
}

#[test]
fn each_carelessness_is_found() {
    for (from, to, expected) in [
        ("08c6903cd8c0fde910a37f88322edcfb5dd907a8", "v5", "40-DIGIT-COMMIT"),
        (" # v5.0.0", "", "40-DIGIT-COMMIT"),
        ("  contents: read", "  contents: write", "may write"),
        ("permissions:\n  contents: read\n", "", "no top-level `permissions`"),
        ("    timeout-minutes: 5\n", "    permissions: write-all\n    timeout-minutes: 5\n", "may write"),
        ("    timeout-minutes: 5\n", "", "no `timeout-minutes`"),
        ("  merge_group:\n", "", "lacks `merge_group`"),
        ("  pull_request:\n", "  pull_request_target:\n", "nobody has reviewed"),
        ("concurrency:\n  group: a\n", "", "no `concurrency`"),
        ("persist-credentials: false", "fetch-depth: 0", "persist-credentials"),
        ("cargo test", "echo ${{ github.head_ref }}", "pass it through `env`"),
        ("run: cargo test", "run: cargo test\n        continue-on-error: true", "goes on after an error"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let found = findings(&GOOD.replace(from, to));
        assert_eq!(found.len(), 1, "{from} → {to}: {found:?}");
        assert!(found[0].contains(expected), "{found:?}");
    }
}

#[test]
fn no_workflow_and_two_workflows_are_found() {
    assert_eq!((CHECK.run)(&subject(&[])).len(), 1);
    let two = [(".github/workflows/a.yml", GOOD), (".github/workflows/b.yml", GOOD)];
    assert_eq!((CHECK.run)(&subject(&two)).len(), 1);
}
