use super::*;

const NAMES: &str = "matmul 64\nadamw";
const OUTPUT: &str = "\
instructions::kernels::kernel scalar_0:places() -> scalar(0)
  Instructions:                     1000|N/A                  (*********)
  L1 Hits:                          4000|N/A                  (*********)
instructions::kernels::kernel scalar_1:places() -> scalar(1)
  Instructions:                      500|490                  (+2.04082%) [+1.02041x]
instructions::kernels::kernel avx2_0:places() -> avx2(0)
  Instructions:                      200|N/A                  (*********)
instructions::kernels::kernel avx2_1:places() -> avx2(1)
  Instructions:                      100|N/A                  (*********)
";

fn counted() -> Counts {
    counts(NAMES, OUTPUT).expect("four counts")
}

#[test]
fn counts_get_the_names_of_their_places_back() {
    assert_eq!(counted(), [("matmul 64".to_owned(), [1000, 200]), ("adamw".to_owned(), [500, 100])]);
}

#[test]
fn a_count_that_is_missing_is_an_error() {
    let short = OUTPUT.split("instructions::kernels::kernel avx2_1").next().expect("the text before");
    let error = counts(NAMES, short).expect_err("one is missing");
    assert!(error.to_string().contains("printed 3 counts; expected 4"), "{error}");
    assert!(counts("", "").is_err(), "nothing is not everything");
}

#[test]
fn the_table_reads_back_as_it_was_written() {
    assert_eq!(parse(&table(&counted())), Some(counted()));
    assert_eq!(parse("| kernel | scalar | AVX2 |\n| --- | ---: | ---: |\n"), None);
    assert_eq!(parse("a\nb\n| matmul | many | 1 |\n"), None);
}

#[test]
fn a_comparison_shows_growth_and_kernels_that_are_new_or_gone() {
    let committed = vec![("matmul 64".to_owned(), [800, 400]), ("rope".to_owned(), [1, 1])];
    let text = comparison(&committed, &counted());
    for row in [
        "| matmul 64 | 1000 | +25.00 % | 200 | -50.00 % |",
        "| adamw | 500 | new | 100 | new |",
        "| rope | gone | | gone | |",
    ] {
        assert!(text.contains(row), "{row} is not in:\n{text}");
    }
    assert_eq!((grown(&committed, &counted(), 24.0), grown(&committed, &counted(), 26.0)), (1, 0));
}

#[test]
fn a_tool_that_is_absent_or_too_old_is_named_with_what_to_install() {
    let with = |valgrind: Option<&str>, runner: Option<&str>| {
        tools(|tool| (if tool == "valgrind" { valgrind } else { runner }).map(str::to_owned))
    };
    assert!(with(Some("valgrind-3.19.0"), Some("gungraun-runner 0.20.0")).is_ok());
    let error = with(None, Some("gungraun-runner 0.20.0")).expect_err("no valgrind").to_string();
    assert!(error.contains("apt-get install valgrind"), "{error}");
    for runner in [None, Some("gungraun-runner 0.19.0")] {
        let error = with(Some("valgrind-3.19.0"), runner).expect_err("no runner").to_string();
        assert!(error.contains("cargo install gungraun-runner --version 0.20.0"), "{error}");
    }
}

#[test]
fn the_committed_table_reads_and_the_manifest_names_the_runner() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let manifest = std::fs::read_to_string(root.join(MANIFEST)).expect("the manifest");
    assert!(manifest.contains(&format!("gungraun = \"={RUNNER}\"")), "{manifest}");
    let committed = std::fs::read_to_string(root.join(TABLE)).expect("the table");
    assert!(parse(&committed).is_some_and(|counts| counts.len() > 10), "{committed}");
}
