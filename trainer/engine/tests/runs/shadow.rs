//! The f64 shadow of a run: it sees where errors come in, and the run does not see it.

use super::reference::{one_percent_more, planted};
use super::*;
use contract::shadow::{SHADOW, ShadowFile, TensorError};
use engine::EngineError;

fn first_step(room: &Room, run: &str, part: &str, shadow: bool) -> Request {
    let observe = observed(ObserveLevel::Op);
    Request { shadow, stop_after: Some(0), observe, ..room.request(run, part) }
}

fn shadow(run: &Path) -> ShadowFile {
    let text = std::fs::read(run.join(SHADOW)).expect("a run with a shadow leaves a file");
    serde_json::from_slice(&text).expect("the file of a shadow")
}

fn relative(tensor: &TensorError) -> f64 {
    tensor.relative_rms.expect("no tensor of this part is zero everywhere")
}

fn find<'a>(file: &'a ShadowFile, phase: &str, tensor: &str) -> &'a TensorError {
    let mut found = file.tensors.iter().filter(|row| row.place.phase == phase && row.place.tensor == tensor);
    found.next().unwrap_or_else(|| panic!("the plan writes {tensor} in {phase}"))
}

#[test]
fn a_run_with_a_shadow_has_the_bits_of_a_run_without_and_errors_of_roundings() {
    let room = Room::new();
    let part = "module/mlp_block_swiglu";
    let (with, without) = (first_step(&room, "with", part, true), first_step(&room, "without", part, false));
    let (with, without) = (plain(&with), plain(&without));
    assert_eq!(records(&with), records(&without));
    assert!(!without.join(SHADOW).exists());
    let file = shadow(&with);
    assert!(file.not_shadowed.is_empty(), "{:?}", file.not_shadowed);
    assert_eq!((file.steps.len(), file.steps[0].skipped, file.steps[0].loss), (1, false, None));
    for row in &file.tensors {
        let relative = relative(row);
        assert!(relative < 1e-4 && row.not_finite == 0, "{:?}: {relative}", row.place);
    }
    // A product rounds, so an error of zero would mean that nothing was compared.
    let product = find(&file, "forward", "layers.0.mlp.down/y");
    assert!(relative(product) > 0.0 && product.elements > 0 && product.max_ulp > 0.0, "{product:?}");
    assert!(file.tensors.iter().any(|row| row.place.phase == "optimizer"), "all phases are followed");
}

#[test]
fn an_error_shows_at_the_tensor_where_it_comes_in_and_in_what_reads_it() {
    let room = Room::new();
    let part = "module/mlp_block_swiglu";
    let request = first_step(&room, "planted", part, true);
    let file = shadow(&run(&request, false, &planted("swiglu", |call| one_percent_more("swiglu", call))));
    let (before, at, after) = (
        find(&file, "forward", "layers.0.mlp.up/y"),
        find(&file, "forward", "layers.0.mlp.activation/h"),
        find(&file, "forward", "layers.0.mlp.down/y"),
    );
    assert!(before.max_abs < 1e-4, "{before:?}");
    assert!(at.max_abs > 9e-3, "{at:?}");
    assert!(after.max_abs > 10.0 * before.max_abs, "{after:?}");
}

#[test]
fn a_part_without_a_plan_has_no_shadow() {
    let room = Room::new();
    let request = first_step(&room, "kernel", "kernel/rmsnorm", true);
    let error = engine::run::run(&request, false, &Policies::standard(), &mut Quiet).unwrap_err();
    assert!(matches!(error, EngineError::Shadow { .. }) && error.exit_code() == 30, "{error}");
    assert!(!request.run_directory.exists());
}
