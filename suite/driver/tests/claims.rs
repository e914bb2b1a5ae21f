//! Every claim against a trainer that makes all of them: the toy trainer with rooms, a module, goldens, alternatives,
//! checks and a census. Each claim is seen green, and red for a planted reason.

mod under_test;

use contract::adapter::Adapter;
use driver::golden::{Change, Query, propose};
use driver::runner::Runner;
use judge::ledger::{HEADER, LEDGER};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use under_test::{Root, main_of, toy_folder};

fn main() -> ExitCode {
    main_of(&[
        ("a_trainer_that_keeps_every_claim_passes_all_of_them", all),
        ("a_golden_that_is_missing_edited_or_another_is_red_and_named", goldens),
        ("an_alternative_that_changes_bits_is_not_neutral_and_its_kernel_is_named", alternative),
        ("a_pair_that_did_not_differ_is_invalid", pair),
        ("a_result_outside_its_bound_is_wrong", wrong),
        ("a_leaf_that_is_not_saved_is_a_census_gap", census),
        ("a_part_without_phases_is_killed_at_the_ends_of_its_steps", no_phases),
        ("an_absent_alternative_is_not_compared_unless_it_is_required", absent),
        ("a_golden_is_not_proposed_when_two_runs_differ", proposals),
    ])
}

const PARTS: &str = r#"
def parts(end_to_end):
    more = lambda name, claims, alternatives=[], stateful=True: {**end_to_end, "part": name, "claims": claims, "stateful": stateful,
                                                               "contracts": ["scale.v1"], "alternatives": alternatives}
    other = lambda claim, name, key, value, presence="present": {"claim": claim, "name": name, "set": {key: value}, "observe": None,
                                                                 "differs_in": [key], "steps": 4, "presence": presence}
    return [more("kernel/scale", ["repeat", "golden", "backend", "reference"],
                 [other("backend", "one_thread", "threads", 1), other("backend", "avx512", "simd", "avx512", "absent")], False),
            more("kernel/momentum", ["repeat", "golden", "resume"]),
            more("module/block", ["repeat", "golden", "resume"]),
            more("end_to_end", ["repeat", "golden", "neutral", "census"] + end_to_end["claims"][1:],
                 [other("neutral", "recompute", "recompute", "full")])]


def leaves(state):
    data = lambda code, values: struct.pack(f"<{len(values)}{code}", *values)
    return [{"name": name, "dtype": {"f": "f32", "Q": "u64"}[code], "shape": [len(values)], "fingerprint": fingerprint(data(code, values))}
            for name, code, values in (("params/w", "f", state["w"]), ("optimizer/momentum", "f", state["m"]), ("rng/dropout", "Q", [state["rng"]]),
                                       ("data/position", "Q", state["order"]), ("fingerprints/loss", "Q", [state["history"]]))]


def main(command, argument=None):"#;

const TENSORS: &str = r#"observe = request["observe"]
        deep = request["part"].startswith("kernel") or (observe["level"] in ("op", "element") and observe["steps"] in (None, [step, step]))
        for role, name, value in (("in", "x", x), ("out", "momentum", state["m"])) if deep else ():
            trace.record(step, "forward", kind="tensor", node="block.scale", module="block", op="scale", contract="scale.v1", variant="loops",
                         tensor=name, dtype="f32", shape=[WIDTH], role=role, version=1, fingerprint=fingerprint(struct.pack(f"<{WIDTH}f", *value)))
            if observe["level"] == "element":
                os.makedirs(os.path.join(run, "elements"), exist_ok=True)
                with open(os.path.join(run, "elements", f"step-{step:06}.block.scale.{role}0.{name}.bin"), "wb") as file:
                    file.write(struct.pack(f"<{WIDTH}f", *value))
        if request["check"]:
            trace.record(step, "forward", kind="check", name="loss", elements=1, worst_thousandths=700)
        state["w"] = [f32(w - 0.125 * m) for w, m in zip(state["w"], state["m"])]"#;

/// The toy trainer with every claim, and more replacements.
fn rich(root: &Root, more: &[(&str, &str)]) -> String {
    let threads = r#""counters": {"threads": request["set"].get("threads", 2), "recompute": len(request["set"].get("recompute", "")), "#;
    let whole = [
        ("\ndef main(command, argument=None):", PARTS),
        (r#""parts": [part]"#, r#""parts": parts(part)"#),
        (
            r#"manifest = json.dumps({"step": step,"#,
            r#"manifest = json.dumps({"leaves": leaves(json.loads(text)), "step": step,"#,
        ),
        (
            r#"        state["w"] = [f32(w - 0.125 * m) for w, m in zip(state["w"], state["m"])]"#,
            &format!("        {TENSORS}"),
        ),
        (r#""counters": {"#, threads),
    ];
    let text = root.toy(&whole);
    let mut source = std::fs::read_to_string(&text).unwrap();
    for (from, to) in more {
        assert_eq!(source.matches(from).count(), 1, "`{from}` is the text to replace");
        source = source.replace(from, to);
    }
    std::fs::write(&text, source).unwrap();
    text
}

fn runner(trainer: &str) -> Runner {
    let adapter = Adapter::read(&toy_folder().join("adapter.yaml"), Path::new(trainer)).unwrap();
    Runner::new(adapter, Duration::from_secs(60))
}

/// Makes goldens and list as a person would: propose, copy, enter in the ledger, commit.
fn bless(root: &Root, trainer: &str) {
    let out = root.path().join("candidates");
    let golden = root.path().join("golden");
    let proposals = propose(&runner(trainer), Query(Query::ALL), &golden, &out, &|_| {}).unwrap();
    let mut ledger = HEADER.to_owned();
    for proposal in &proposals {
        let target = golden.join(&proposal.file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&proposal.candidate, target).unwrap();
        ledger.push_str(&proposal.ledger_row("first").unwrap().unwrap());
    }
    std::fs::write(golden.join(LEDGER), ledger).unwrap();
    let all = root.call(&["--recipe", "toy", "--list", "--format", "terse", "--trainer", trainer]);
    let names = all.stdout.lines().filter_map(|line| line.strip_suffix(": test"));
    let names: String = names.map(|line| format!("{line}\n")).collect();
    std::fs::write(root.path().join("suite/mustpass/toy.txt"), names).unwrap();
}

fn all() {
    let root = Root::new();
    let trainer = rich(&root, &[]);
    bless(&root, &trainer);
    let called = root.call(&["--recipe", "toy", "--skip", "::resume::", "--trainer", &trainer]);
    called.ended(0).says("toy::kernel::scale::backend::avx512: avx512 absent");
    for name in ["coverage", "canary", "kernel::scale::reference", "module::block::golden", "end_to_end::census"] {
        assert_eq!(called.trial(&format!("toy::{name}"))["outcome"]["verdict"], "PASS", "{name}");
    }
    assert_eq!(called.trial("toy::end_to_end::neutral::recompute")["outcome"]["verdict"], "PASS");
    let kernel = root.call(&["--recipe", "toy", "--room", "momentum", "--claim", "resume", "--trainer", &trainer]);
    kernel.ended(0).says("kill points: listed");
}

fn goldens() {
    let root = Root::new();
    let trainer = rich(&root, &[]);
    let call = |name: &str| root.call(&["--recipe", "toy", "--exact", name, "--trainer", &trainer]);
    call("toy::end_to_end::golden").ended(19).says("no golden");
    bless(&root, &trainer);
    call("toy::end_to_end::golden").ended(0);
    let path = root.path().join("golden/toy/end_to_end.snap");
    let text = std::fs::read_to_string(&path).unwrap();
    let at = text.rfind(|c: char| c.is_ascii_hexdigit()).unwrap();
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    let edited = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
    std::fs::write(&path, &edited).unwrap();
    call("toy::end_to_end::golden").ended(19).says("edited by hand");
    call("toy::coverage").ended(19).says("edited by hand");
    let row = judge::ledger::Entry::of("toy/end_to_end.snap", edited.as_bytes(), &[], "a lie").render();
    let ledger = root.path().join("golden").join(LEDGER);
    let rows = std::fs::read_to_string(&ledger).unwrap() + &row;
    std::fs::write(&ledger, rows).unwrap();
    let drift = call("toy::end_to_end::golden");
    drift.ended(11).says("DRIFT golden");
    let facts = drift.trial("toy::end_to_end::golden")["outcome"]["facts"].to_string();
    assert!(facts.contains("reference variants give the new bits too"), "{facts}");
    std::fs::write(root.path().join("golden/orphan.snap"), "x").unwrap();
    call("toy::coverage").ended(19).says("orphan");
    let golden = root.path().join("golden");
    let again = propose(&runner(&trainer), Query(Query::ALL), &golden, &root.path().join("again"), &|_| {}).unwrap();
    let change = |file: &str| &again.iter().find(|proposal| proposal.file == file).unwrap().change;
    assert!(matches!(change("toy/end_to_end.snap"), Change::Moved { added: 1, removed: 1, .. }));
    assert_eq!((change("orphan.snap"), change("scale/cases.snap")), (&Change::Unused, &Change::Same));
}

fn alternative() {
    let root = Root::new();
    let planted = r#"state["m"] = [f32(0.5 * m + error * a / 64) for m, a in zip(state["m"], kept)]"#;
    let changed = format!(
        "{planted}\n        if step == 2 and request[\"set\"].get(\"recompute\"):\n            state[\"m\"][3] = f32(state[\"m\"][3] + 2.0 ** -30 * abs(state[\"m\"][3]) + 2.0 ** -20)"
    );
    let trainer = rich(&root, &[(planted, &changed)]);
    let name = "toy::end_to_end::neutral::recompute";
    let called = root.call(&["--recipe", "toy", "--exact", name, "--trainer", &trainer]);
    called.ended(14).says("NOT_NEUTRAL neutral").says("node block.scale").says("scale.v1, variant loops");
    let first = &called.trial(name)["outcome"]["divergence"];
    assert_eq!((&first["step"], &first["inputs_equal"]), (&2.into(), &true.into()), "{first}");
    assert_eq!(first["elements"]["first_index"][0], 3, "{first}");
}

fn pair() {
    let root = Root::new();
    let trainer = rich(&root, &[(r#""recompute": len(request["set"].get("recompute", "")), "#, r#""recompute": 1, "#)]);
    let name = "toy::end_to_end::neutral::recompute";
    root.call(&["--recipe", "toy", "--exact", name, "--trainer", &trainer]).ended(22).says("counter `recompute`");
}

fn wrong() {
    let root = Root::new();
    let trainer = rich(&root, &[("worst_thousandths=700", "worst_thousandths=700 + 400 * (step == 3)")]);
    root.call(&["--recipe", "toy", "--claim", "reference", "--trainer", &trainer]).ended(17).says("1.100 of the bound");
    let empty = rich(&root, &[("elements=1, worst", "elements=0, worst")]);
    let called = root.call(&["--recipe", "toy", "--claim", "reference", "--trainer", &empty]);
    called.ended(22).says("toy::kernel::scale::reference: checked/trace is no evidence: no element of `loss`");
}

fn census() {
    let root = Root::new();
    let trainer = rich(
        &root,
        &[(
            r#"("rng/dropout", "Q", [state["rng"]]),
                                       ("data/position""#,
            r#"("data/position""#,
        )],
    );
    root.call(&["--recipe", "toy", "--claim", "census", "--trainer", &trainer]).ended(18).says("rng");
}

fn no_phases() {
    let root = Root::new();
    let silent = "def say(self, wait=True, **point):\n        if point[\"at\"] == \"phase\":\n            return";
    let trainer = rich(&root, &[("def say(self, wait=True, **point):", silent)]);
    let called = root.call(&["--recipe", "toy", "--room", "momentum", "--claim", "resume", "--trainer", &trainer]);
    called.ended(0).says("kill points: listed");
}

fn absent() {
    let root = Root::new();
    let trainer = rich(&root, &[]);
    let call =
        |more: &[&str]| root.call(&[&["--recipe", "toy", "--claim", "backend", "--trainer", &trainer], more].concat());
    let plain = call(&[]);
    plain.ended(0);
    assert_eq!(plain.report.as_ref().unwrap()["not_compared"][0]["reason"], "avx512 absent");
    call(&["--require", "avx512"]).ended(23).says("`avx512` was asked for and is absent here");
    let included = root.call(&["--recipe", "toy", "--include-ignored", "avx512", "--trainer", &trainer]);
    included.ended(23);
}

fn proposals() {
    let root = Root::new();
    let trainer = rich(&root, &[("state[\"rng\"] = mix(state[\"rng\"])", "state[\"rng\"] = mix(time.time_ns())")]);
    let error =
        propose(&runner(&trainer), Query(Query::ALL), &root.path().join("golden"), &root.path().join("out"), &|_| {});
    assert!(error.unwrap_err().to_string().contains("two reference runs of toy kernel/scale differ"));
    let error = propose(&runner(&trainer), Query("scael"), root.path(), &root.path().join("out"), &|_| {});
    assert!(error.unwrap_err().to_string().contains("did you mean `scale`?"));
}
