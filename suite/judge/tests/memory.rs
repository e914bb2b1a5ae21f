//! Comparing long runs takes no more memory than comparing short ones. Alone in its process, since it reads how much
//! memory the whole process ever used.
#![cfg(target_os = "linux")]

use contract::SCHEMA;
use contract::claim::Claim;
use contract::record::Body;
use contract::request::Part;
use contract::run::RunFile;
use contract::trace::TraceWriter;
use contract::verdict::Verdict;
use judge::{Comparer, Exact, Mode, Pair};
use std::path::Path;

const LEAVES: u64 = 500;

fn write(directory: &Path, nonce: &str, steps: u64, twist: u64) {
    std::fs::create_dir(directory).unwrap();
    let run = RunFile {
        schema: SCHEMA,
        nonce: nonce.into(),
        pid: 1,
        started_ns: 1,
        binary_digest: "binary".into(),
        recipe: "crafted".into(),
        recipe_digest: "recipe".into(),
        part: Part::EndToEnd,
        ranks: 1,
    };
    std::fs::write(directory.join("run.json"), serde_json::to_vec(&run).unwrap()).unwrap();
    let mut writer = TraceWriter::create(directory, 0).unwrap();
    for step in 0..steps {
        for leaf in 0..LEAVES {
            let last = step + 1 == steps && leaf + 1 == LEAVES;
            let fingerprint = fingerprint::Fingerprint(step * LEAVES + leaf, if last { twist } else { 1 });
            let body =
                Body::State { leaf: format!("params/{leaf}"), dtype: "f32".into(), shape: vec![64, 64], fingerprint };
            writer.record(step, "state", body).unwrap();
        }
        writer.end_step(step).unwrap();
    }
    writer.finish(steps).unwrap();
}

/// Most bytes that the process ever had in memory.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

fn judged(scratch: &Path, steps: u64) {
    let (left, right) = (scratch.join(format!("left-{steps}")), scratch.join(format!("right-{steps}")));
    write(&left, "left", steps, 1);
    write(&right, "right", steps, 2);
    for (mode, claim, verdict) in
        [(Mode::Strict, Claim::Repeat, Verdict::Nondeterministic), (Mode::State, Claim::Neutral, Verdict::NotNeutral)]
    {
        let outcome = Exact.pair(&Pair::new(claim, mode, "long", &left, &right));
        assert_eq!(outcome.verdict, verdict, "{}", outcome.message);
        assert_eq!(outcome.divergence.unwrap().step, steps - 1);
    }
}

#[test]
fn a_run_twenty_times_as_long_is_compared_in_the_same_memory() {
    let scratch = tempfile::tempdir().unwrap();
    judged(scratch.path(), 10);
    let short = peak_bytes();
    judged(scratch.path(), 200);
    let grown = peak_bytes() - short;
    // The records of the long pair take more than 25 MB.
    assert!(grown < 8 << 20, "{grown} bytes more");
}
