//! Two recipes, run for real and compared: a precision loss shows at the tensor where it comes in.

use super::*;
use driver::precision::{Errors, PrecisionReport, TensorRow};
use tempfile::TempDir;

/// `dense-ieee`, small enough for a shadow in a test.
const SMALL: &[(&str, &str)] = &[
    ("  steps: 8", "  steps: 3"),
    ("width: 64", "width: 16"),
    ("layers: 4", "layers: 1"),
    ("query_heads: 4", "query_heads: 2"),
    ("kv_heads: 2", "kv_heads: 1"),
    ("head_width: 16", "head_width: 8"),
    ("mlp_width: 172", "mlp_width: 24"),
    ("[swiglu, swiglu, swiglu, squared_relu]", "[swiglu]"),
    ("documents: 24", "documents: 2"),
    ("row_tokens: 256", "row_tokens: 128"),
    ("units_per_leaf: 2", "units_per_leaf: 1"),
    ("leaves: 4", "leaves: 2"),
    ("rows: 6", "rows: 2"),
    ("warmup: 2", "warmup: 1"),
    ("total: 8", "total: 3"),
    ("overflow_steps: [4]", "overflow_steps: [1]"),
    ("micro_batch_units: 4", "micro_batch_units: 1"),
];

/// Writes a small recipe with other changes besides.
fn small(folder: &Path, name: &str, changes: &[(&str, &str)]) {
    let mut text = include_str!("../../recipes/dense-ieee.yaml").replace("name: dense-ieee", &format!("name: {name}"));
    for (from, to) in SMALL.iter().chain(changes) {
        assert!(text.contains(from), "the recipe has no `{from}`");
        text = text.replacen(from, to, 1);
    }
    std::fs::write(folder.join(format!("{name}.yaml")), text).expect("write the recipe");
}

/// The report of `precision one.yaml two.yaml --json`, by either binary.
fn report(folder: &Path, binary: &str, fault: Option<&str>) -> PrecisionReport {
    let mut command = Command::new(binary);
    command.args(["precision", "one.yaml", "two.yaml", "--out", "out", "--json"]).current_dir(folder);
    let (code, stdout, stderr) = answer(command.envs(fault.map(|fault| ("LOCKSTEP_FAULT", fault))));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    serde_json::from_str(&stdout).expect("the report is the only thing on standard output")
}

fn find<'a>(report: &'a PrecisionReport, phase: &str, tensor: &str) -> &'a TensorRow {
    let mut rows = report.tensors.iter().filter(|row| row.place.phase == phase && row.place.tensor == tensor);
    rows.next().unwrap_or_else(|| panic!("the plan writes {tensor} in {phase}"))
}

/// Relative error of both sides in the first step, before parameters move apart.
fn first_step(row: &TensorRow) -> [f64; 2] {
    let of =
        |side: &Option<Errors>| side.as_ref().and_then(|side| side.by_step.first()?.1).expect("both sides have it");
    [of(&row.sides[0]), of(&row.sides[1])]
}

#[test]
fn a_coarser_wire_parts_at_the_first_reduced_gradient_and_shows_there() {
    let folder = TempDir::new().expect("a temporary folder");
    small(folder.path(), "one", &[]);
    small(folder.path(), "two", &[("wire: fp32_leaf", "wire: bf16_leaf")]);
    let report = report(folder.path(), env!("CARGO_BIN_EXE_lockstep"), None);
    let first = report.parting.as_ref().expect("gradients are rounded in one of the two");
    assert_eq!((first.step, first.phase.as_str(), first.op.as_deref()), (0, "reduce", Some("leaf_reduce")));
    assert!(first.name.starts_with("gradients/") && first.inputs_equal == Some(true), "{}", first.place());
    // The rounding of bf16 is up to 2^-9 and 2^-9/√3 on average.
    let [exact, rounded] = first_step(find(&report, "reduce", "gradients/layers.0.mlp.down"));
    assert!(exact < 1e-5 && (3e-4..3e-3).contains(&rounded), "{exact} {rounded}");
    let [one, two] = first_step(find(&report, "forward", "layers.0.mlp.down/y"));
    assert!(one == two && one > 0.0 && one < 1e-5, "{one} {two}");
    assert_eq!(report.losses[0].difference, Some(0.0), "the first loss comes before the first gradient");
    let [exact, rounded] = first_step(find(&report, "optimizer", "optimizer/second_moment/layers.0.mlp.down"));
    assert!(exact < 1e-5 && rounded > 3e-4, "it goes on into the state: {exact} {rounded}");
    assert!(report.losses.iter().all(|losses| losses.error[0].is_some_and(|error| error.abs() < 1e-4)));
    assert_eq!((report.shadow_gap, report.steps, report.losses.len()), (0.0, 3, 3));
    assert_eq!(report.sides.each_ref().map(|side| side.skipped.clone()), [vec![1], vec![1]]);
    let steps = |row: &TensorRow| row.sides[0].as_ref().map(|side| side.by_step.len());
    assert_eq!(steps(find(&report, "forward", "layers.0.mlp.down/y")), Some(2), "the skipped step is left out");
    let worst: Vec<f64> = report.tensors.iter().map(TensorRow::badness).collect();
    assert!(worst.is_sorted_by(|a, b| a >= b), "worst first");
    for file in ["precision.json", "precision.html", "loss.svg"] {
        assert!(folder.path().join("out").join(file).exists(), "{file}");
    }
}

#[test]
fn a_planted_loss_of_precision_shows_at_its_tensor_and_not_before() {
    let folder = TempDir::new().expect("a temporary folder");
    small(folder.path(), "one", &[]);
    small(folder.path(), "two", &[]);
    // F089: the table of the rotary embedding in bf16, in both runs.
    let report = report(folder.path(), env!("CARGO_BIN_EXE_lockstep-mutant"), Some("F089"));
    assert_eq!(report.parting, None, "two runs of one recipe are equal, wrong or not");
    let forward = |op: &str| {
        let mut rows = report
            .tensors
            .iter()
            .filter(|row| row.place.phase == "forward" && row.sides[0].as_ref().is_some_and(|side| side.op == op));
        first_step(rows.next().expect("the plan has the op"))[0]
    };
    let (before, at, after) = (forward("rmsnorm"), forward("rope"), forward("attention"));
    assert!(before < 1e-5, "{before}");
    assert!(at > 1e-4, "{at}");
    assert!(after > 1e-5, "{after}");
    let [error, _] = first_step(find(&report, "forward", "layers.0.attention.qkv/y"));
    assert!(error < 1e-5, "{error}");
}
