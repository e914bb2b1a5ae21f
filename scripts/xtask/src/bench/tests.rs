use super::{PROGRAMS, rows, select};
use std::path::Path;

#[test]
fn a_filter_selects_by_name_and_one_that_matches_nothing_is_an_error() {
    assert_eq!(select("").expect("all").len(), PROGRAMS.len());
    assert_eq!(select("matmul").expect("one").len(), 1);
    let error = select("sorting").expect_err("nothing");
    assert!(error.to_string().contains("matmul_throughput"), "{error}");
}

#[test]
fn each_printed_line_is_a_row() {
    assert_eq!(rows("a", "x 1\n\n  y 2\n"), "| a | `x 1` |\n| a | `  y 2` |\n");
}

#[test]
fn every_listed_program_exists() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for program in PROGRAMS {
        let folder = ["kernels", "suite"].map(|group| root.join(group).join(program.package));
        let folder = folder.into_iter().find(|folder| folder.is_dir()).expect("the crate exists");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let file = folder.join("examples").join(format!("{}.rs", program.example));
        assert!(file.is_file() || manifest.contains(program.example), "{}", program.example);
    }
}
