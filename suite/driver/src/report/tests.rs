use super::*;
use contract::claim::{Claim, Level};
use contract::verdict::Verdict;
use judge::Outcome;
use judge::divergence::{Divergence, Kind};
use judge::elements::{BitFields, ElementReport};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn divergence() -> Divergence {
    let fields = |bits| BitFields { bits, sign: 0, exponent: bits >> 23, mantissa: bits & 0x7f_ffff };
    Divergence {
        kind: Kind::Output,
        step: 3,
        rank: 0,
        phase: "backward".into(),
        node: Some("layers.1.mlp.down:backward".into()),
        module: Some("layers.1.mlp".into()),
        op: Some("matmul_wgrad".into()),
        contract: Some("matmul.ieee.v1".into()),
        variant: Some("cpu.avx2".into()),
        name: "d_weight".into(),
        role: Some(contract::record::Role::Out),
        index: Some(0),
        dtype: Some("f32".into()),
        shape: Some(vec![64, 172]),
        inputs_equal: Some(true),
        left: "f32 [64,172] 00".into(),
        right: "f32 [64,172] 01".into(),
        cause: "`matmul_wgrad` gave other bits for equal inputs".into(),
        producer: None,
        elements: Some(ElementReport {
            count: 12,
            total: 11008,
            max_ulp: 1,
            first_index: vec![21, 7],
            first_left: fields(0x3f80_0000),
            first_right: fields(0x3f80_0001),
            pattern: "scattered".into(),
        }),
    }
}

fn trial(name: &str, level: Option<Level>, claim: Option<Claim>, verdict: Verdict) -> TrialReport {
    let mut outcome = Outcome::new(verdict, claim.unwrap_or(Claim::Repeat), name, verdict.sentence());
    let reproduce = format!("cargo test --test determinism -- --recipe tiny --seed 7 --exact {name}");
    let mut failure = String::new();
    if verdict != Verdict::Pass {
        outcome.divergence = Some(divergence());
        outcome.facts.push("12 steps of 1 ranks compared".into());
        failure = judge::report::failure_text(&outcome, &reproduce, "lockstep compare a b", Path::new("report.html"));
    }
    TrialReport {
        trial: name.into(),
        recipe: "tiny".into(),
        level,
        claim,
        heat_map: (verdict != Verdict::Pass)
            .then(|| HeatMap { steps: vec![2, 3], ranks: vec![vec![Cell::Equal, Cell::Different]] }),
        outcome,
        failure,
        reproduce,
        kill_points: if claim == Some(Claim::Resume) {
            KillCounts { listed: 9, killed: 9, resumed: 8 }
        } else {
            KillCounts::default()
        },
        runs: vec![],
        environment: BTreeMap::from([("cpu".to_owned(), "two <cores>".to_owned())]),
        milliseconds: 1500,
    }
}

fn events() -> Vec<Event> {
    use Level::{EndToEnd, Kernel};
    let recipe = RecipeReport { name: "tiny".into(), recipe_digest: "ab".repeat(32), verdict: None };
    let trials = [
        trial("tiny::kernel::scale::repeat", Some(Kernel), Some(Claim::Repeat), Verdict::Pass),
        trial("tiny::kernel::scale::golden", Some(Kernel), Some(Claim::Golden), Verdict::Pass),
        trial("tiny::end_to_end::repeat", Some(EndToEnd), Some(Claim::Repeat), Verdict::Nondeterministic),
        trial("tiny::end_to_end::resume::steps", Some(EndToEnd), Some(Claim::Resume), Verdict::ResumeBreak),
        trial("tiny::canary", None, None, Verdict::Pass),
    ];
    let estimate = Estimate { seconds: 300, disk_bytes: 5 << 20, runs: 40 };
    let mut events = vec![
        Event::Started { trials: 5, seed: 7, recipes: vec![recipe], estimate: Some(estimate) },
        Event::NotCompared(NotCompared {
            trial: "tiny::kernel::scale::backend::avx512".into(),
            reason: "avx512 absent".into(),
        }),
    ];
    for trial in trials {
        events.push(Event::TrialStarted { trial: trial.trial.clone() });
        events.push(Event::Progress { trial: trial.trial.clone(), message: "run 1 of 2".into() });
        events.push(Event::TrialFinished(Box::new(trial)));
    }
    events
}

fn report() -> Report {
    let mut collector = Collector::new(0, Path::new("target/lockstep/run"));
    events().iter().for_each(|event| collector.event(event));
    collector.report()
}

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn told(style: Style) -> String {
    let page = Page::default();
    let files = Files::in_folder(Path::new("target/lockstep/report"));
    let mut terminal = Terminal::new(style, Some(files), Box::new(page.clone()));
    events().iter().for_each(|event| terminal.event(event));
    terminal.event(&Event::Finished(Box::new(report())));
    String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn a_log_gets_seed_estimate_and_the_closing_table() {
    insta::assert_snapshot!(told(Style::Plain));
}

#[test]
fn a_terminal_also_gets_a_block_for_each_trial() {
    insta::assert_snapshot!(told(Style::Moving));
}

#[test]
fn a_machine_format_gets_nothing_in_between() {
    assert_eq!(told(Style::Silent), "");
}

#[test]
fn the_report_has_the_worst_verdict_and_its_exit_code() {
    let report = report();
    assert_eq!((report.verdict, report.exit_code), (Verdict::Nondeterministic, 10));
    assert_eq!(report.recipes[0].verdict, Some(Verdict::Nondeterministic));
    assert_eq!(report.kill_points, KillCounts { listed: 9, killed: 9, resumed: 8 });
    assert!(!report.kill_points.complete());
    let nothing = Collector::new(0, Path::new("x")).report();
    assert_eq!(nothing.verdict, Verdict::CoverageGap);
}

#[test]
fn the_json_reads_back_and_its_schema_is_the_published_one() {
    let report = report();
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/schema/report.schema.json");
    let published = std::fs::read_to_string(&path).unwrap();
    assert!(
        published == schema(),
        "the schema moved; write it with `cargo run -p driver --example report_schema > suite/contract/schema/report.schema.json`"
    );
}

#[test]
fn junit_names_verdict_and_failure_and_what_was_not_compared() {
    insta::assert_snapshot!(junit(&report()));
}

#[test]
fn the_step_summary_shows_table_and_failures_and_stays_below_the_limit() {
    let mut report = report();
    insta::assert_snapshot!(step_summary(&report));
    let worst = report.failures()[0].clone();
    report.trials = (0..4000).map(|_| worst.clone()).collect();
    let long = step_summary(&report);
    assert!(long.len() <= 1 << 20 && long.contains("More failures stand in the report file."));
}

#[test]
fn there_is_one_annotation_for_each_failing_recipe_on_one_line() {
    let lines = annotations(&report());
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("::error title=tiny NONDETERMINISTIC (2 trials failed)::NONDETERMINISTIC repeat"));
    assert!(lines[0].contains("%0A") && !lines[0].contains('\n'));
}

#[test]
fn the_page_stands_alone_and_escapes_what_it_shows() {
    let page = html(&report());
    for part in [
        "<h1 class=\"NONDETERMINISTIC\">",
        "layers.1.mlp.down:backward",
        "<td class=\"different\" title=\"rank 0, step 3: different\">",
        "<code class=\"exponent\">1111111</code>",
        "two &lt;cores&gt;",
        "avx512 absent",
        "tiny::kernel::scale::golden",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http") && !page.contains("<script"));
}

#[test]
fn all_files_are_written_and_a_folder_that_cannot_be_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Files::in_folder(&folder.path().join("new"));
    files.json_copy = Some(folder.path().join("copy.json"));
    files.summary = Some(folder.path().join("summary.md"));
    write_all(&files, &report()).unwrap();
    assert_eq!(std::fs::read(&files.json).unwrap(), std::fs::read(folder.path().join("copy.json")).unwrap());
    assert!(files.junit.exists() && files.html.exists() && folder.path().join("summary.md").exists());
    std::fs::write(folder.path().join("file"), "").unwrap();
    let blocked = Files::in_folder(&folder.path().join("file"));
    assert!(write_all(&blocked, &report()).unwrap_err().contains("report.json"));
}
