use super::gather::gather;
use super::page::page;
use super::plot::plot;
use super::*;
use crate::process::Ending;
use crate::runner::{RunOutput, Start};
use contract::SCHEMA;
use contract::record::{Body, Role, TensorRecord};
use contract::request::Part;
use contract::run::RunFile;
use contract::shadow::{Place, SHADOW, ShadowFile, ShadowStep, TensorError};
use contract::trace::TraceWriter;
use fingerprint::Fingerprint;

fn tensor(name: &str, dtype: &str, relative_rms: Option<f64>) -> TensorError {
    let place = Place { phase: "forward".into(), module: "layers.0.mlp".into(), tensor: name.into(), occurrence: 0 };
    TensorError {
        place,
        op: "matmul".into(),
        contract: "matmul.chain.v1".into(),
        dtype: dtype.into(),
        shape: vec![2, 2],
        elements: 4,
        not_finite: 0,
        max_abs: 0.5,
        relative_rms,
        max_ulp: 3.0,
        rms_ulp: 1.5,
        by_step: vec![(0, relative_rms)],
    }
}

fn step(step: u64, loss: f64, shadow: f64, skipped: bool) -> ShadowStep {
    ShadowStep { step, skipped, loss: Some(loss), shadow_loss: Some(shadow), held_out: None, shadow_held_out: None }
}

/// A run of two steps of one tensor whose bits are `bits`, as a trainer would leave it.
fn made(folder: &Path, name: &str, bits: &[u8], file: &ShadowFile) -> RunOutput {
    let directory = folder.join(name);
    let trace = directory.join("trace");
    std::fs::create_dir_all(&trace).unwrap();
    let run = RunFile {
        schema: SCHEMA,
        nonce: name.into(),
        pid: 1,
        started_ns: 1,
        binary_digest: "b".into(),
        recipe: name.into(),
        recipe_digest: name.into(),
        part: Part::EndToEnd,
        ranks: 1,
    };
    std::fs::write(trace.join("run.json"), serde_json::to_vec(&run).unwrap()).unwrap();
    std::fs::write(trace.join(SHADOW), serde_json::to_vec(file).unwrap()).unwrap();
    let mut writer = TraceWriter::create(&trace, 0).unwrap();
    for step in 0..2 {
        let record = TensorRecord {
            node: format!("layers.0.mlp/{name}/forward"),
            module: "layers.0.mlp".into(),
            op: name.into(),
            contract: format!("{name}.v1"),
            variant: "cpu_reference".into(),
            tensor: "y".into(),
            dtype: "f32".into(),
            shape: vec![1],
            role: Role::Out,
            version: 0,
            fingerprint: Fingerprint::of_bytes(if step == 0 { &[0; 4] } else { bits }),
        };
        writer.record(step, "forward", Body::Tensor(record)).unwrap();
        writer.end_step(step).unwrap();
    }
    writer.finish(2).unwrap();
    RunOutput {
        directory,
        checkpoints: None,
        nonce: name.into(),
        pid: 1,
        start: Start::Train,
        ending: Ending::Code(0),
        killed: false,
        killed_at: None,
        announcements: Vec::new(),
        latest_before: None,
        loaded: None,
        latest_after: None,
        left_behind: 0,
        message: String::new(),
        wall_seconds: 1.0,
    }
}

fn files() -> [ShadowFile; 2] {
    let file = |losses: [f64; 2], tensors| ShadowFile {
        schema: SCHEMA,
        steps: vec![step(0, losses[0], 2.0, false), step(1, losses[1], 1.5, true)],
        tensors,
        not_shadowed: vec!["copy".into()],
    };
    [
        file([2.0, 1.5], vec![tensor("small", "f32", Some(1e-7)), tensor("zero", "f32", None)]),
        file([2.25, 1.0], vec![tensor("small", "bf16", Some(1e-3)), tensor("master <&>", "f32", Some(0.5))]),
    ]
}

fn gathered(files: &[ShadowFile; 2]) -> Result<PrecisionReport, PrecisionError> {
    let scratch = tempfile::tempdir().unwrap();
    let made = [made(scratch.path(), "chain", &[1; 4], &files[0]), made(scratch.path(), "tc16", &[2; 4], &files[1])];
    let side = |name: &str| Side {
        name: name.into(),
        recipe: name.into(),
        recipe_digest: name.into(),
        precision: "profile ieee, storage f32, wire fp32_leaf".into(),
    };
    let comparison = Comparison { sides: [side("one"), side("two")], steps: 2, set: [].into(), progress: false };
    gather(&comparison, &made)
}

fn report() -> PrecisionReport {
    gathered(&files()).unwrap()
}

#[test]
fn tensors_of_both_sides_meet_by_place_and_the_worst_comes_first() {
    let report = report();
    let rows: Vec<_> = report.tensors.iter().map(|row| row.place.tensor.as_str()).collect();
    assert_eq!(rows, ["zero", "master <&>", "small"], "no relative size is the worst of all");
    let small = &report.tensors[2];
    let dtypes = small.sides.each_ref().map(|side| side.as_ref().map(|side| side.dtype.as_str()));
    assert_eq!(dtypes, [Some("f32"), Some("bf16")]);
    assert!(report.tensors[1].sides[0].is_none() && report.tensors[1].sides[1].is_some());
    let mut files = files();
    files[0].tensors[0].not_finite = 1;
    assert_eq!(gathered(&files).unwrap().tensors[0].place.tensor, "small", "what is not finite comes before");
}

#[test]
fn losses_are_subtracted_from_each_other_and_from_their_shadows() {
    let losses = report().losses;
    assert_eq!((losses[0].difference, losses[0].error), (Some(0.25), [Some(0.0), Some(0.25)]));
    assert_eq!((losses[1].difference, losses[1].error), (Some(-0.5), [Some(0.0), Some(-0.5)]));
    assert_eq!(report().sides[0].skipped, [1]);
}

#[test]
fn the_text_names_where_the_runs_part_and_what_a_reader_must_know() {
    let text = text(&report(), Path::new("out"));
    for part in [
        "part at step 1, forward, module layers.0.mlp, op tc16, tensor y",
        "another contract: `chain.v1` and `tc16.v1`",
        "one: steps [1] were skipped",
        "taken from the run: copy",
        "precision.html",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert!(!text.contains("not one computation"), "{text}");
    let mut files = files();
    files[1].steps[1].skipped = false;
    let report = gathered(&files).unwrap();
    assert!(super::text(&report, Path::new("out")).contains("not one computation"));
    let mut files = self::files();
    files[1].steps[1].shadow_loss = Some(1.6);
    let report = gathered(&files).unwrap();
    assert!((report.shadow_gap - 0.0625).abs() < 1e-12, "{}", report.shadow_gap);
    assert!(super::text(&report, Path::new("out")).contains("not one computation"));
}

#[test]
fn the_page_stands_alone_escapes_what_it_shows_and_holds_the_picture() {
    let report = report();
    let page = page(&report, &plot(&report));
    for part in ["master &lt;&amp;&gt;", "<svg", "one − f64", "two − one", "class=\"cell d6\" title=\"step 0: 1.0e-3\""]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http") && !page.contains("<script"));
}

#[test]
fn a_shadow_that_compares_nothing_or_has_another_schema_is_refused() {
    let mut empty = files();
    empty[1].tensors.clear();
    let error = gathered(&empty).unwrap_err();
    assert!(error.to_string().contains("compares no tensor"), "{error}");
    assert_eq!(error.verdict(), Verdict::Invalid);
    let mut newer = files();
    newer[0].schema = SCHEMA + 1;
    assert!(gathered(&newer).unwrap_err().to_string().contains("is unknown"));
}

#[test]
fn the_json_reads_back_and_its_schema_is_the_published_one() {
    let report = report();
    assert_eq!(serde_json::from_str::<PrecisionReport>(&json(&report)).unwrap(), report);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/schema/precision.schema.json");
    let published = std::fs::read_to_string(&path).unwrap();
    assert!(
        published == schema(),
        "the schema moved; write it with `cargo run -p driver --example precision_schema > suite/contract/schema/precision.schema.json`"
    );
}
