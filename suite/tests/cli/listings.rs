use super::*;
use tempfile::TempDir;

/// Paths, times and everything else that differs from machine to machine, replaced by words.
fn snapshot(name: &str, text: &str, more: &[(&str, &str)]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, word) in more {
        settings.add_filter(pattern, *word);
    }
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn recipes_prints_one_line_a_recipe() {
    snapshot("recipes", &said(Path::new(ROOT), ["recipes"]), &[]);
    let names = said(Path::new(ROOT), ["recipes", "--names"]);
    let listed: Vec<_> = names.lines().collect();
    assert_eq!(listed, ["dense-bf16-ieee", "dense-fp16-hopper", "dense-hopper", "dense-ieee", "dense-text"]);
}

#[test]
fn doctor_says_what_runs_here_and_what_would_be_refused() {
    let machine = [
        (r"(?m)^(version +)\S+$", "$1[version]"),
        (r"(?m)^(platform +).+$", "$1[platform]"),
        (r"(?m)^(cores +)\d+$", "$1[cores]"),
        (r"(?m)^(simd \S+ +)(present|absent: .*)$", "$1[present or absent]"),
        (r"(?m)^(shared memory +)\S+$", "$1[present or absent]"),
        (r"(?m)^(recipe \S+ +)\d+ MB", "$1[megabytes] MB"),
    ];
    snapshot("doctor", &said(Path::new(ROOT), ["doctor"]), &machine);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let output = command.arg("doctor").env("INSTA_UPDATE", "always").output().expect("the process starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("would be refused") && text.contains("INSTA_UPDATE=always"), "{text}");
}

#[test]
fn plan_prints_a_part() {
    let text = said(Path::new(ROOT), ["plan", "--recipe", "dense-ieee", "--part", "module/data_pipeline"]);
    snapshot("plan_data_pipeline", &text, &[("recipe digest [0-9a-f]{16}", "recipe digest [digest]")]);
    let full = ["plan", "--recipe", "dense-ieee", "--part", "module/attention_block", "--set", "recompute=full"];
    assert!(said(Path::new(ROOT), full).contains("/recompute ["), "the override reaches the plan");
}

#[test]
fn verify_and_compare_report_runs() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let train = |run: &str, more: &[&str]| {
        let part = ["train", "--recipe", "dense-ieee", "--part", "module/optimizer_step", "--run-dir", run];
        let every = ["--set", "checkpoint.every=4"];
        said(here, part.iter().chain(&every).chain(more))
    };
    let told = train("one", &[]);
    assert_eq!(told.lines().count(), 9, "a line a step and one at the end:\n{told}");
    train("two", &[]);
    train("short", &["--stop-after", "5"]);
    snapshot("verify", &said(here, ["verify", "one/checkpoints"]), &[]);
    let pointer = said(here, ["verify", "--pointer", "one/checkpoints"]);
    assert!(pointer.starts_with("{\"schema\":1,\"step\":8,\"directory\":\"step-00000008\""), "{pointer}");
    snapshot("compare_equal_traces", &said(here, ["compare", "one", "two"]), &[]);
    snapshot("compare_equal_checkpoints", &said(here, ["compare", "one/checkpoints", "two/checkpoints"]), &[]);
    let (code, stdout, _) = lockstep(here, ["compare", "one", "short"]);
    assert!(!matches!(code, Some(0) | None), "{stdout}");
    snapshot("compare_a_short_trace", &stdout, &[]);
    let older = "one/checkpoints/step-00000004";
    let (code, stdout, _) = lockstep(here, ["compare", older, "two/checkpoints"]);
    assert_eq!(code, Some(10), "{stdout}");
    // Which other leaves differ, and in how many elements, are facts about the recipe.
    let shown = |line: &&str| line.contains("leaves equal") || line.contains(" params/");
    let lines: Vec<_> = stdout.lines().filter(shown).collect();
    let counts = [(r"\d+ leaves equal, \d+ differ", "[some] leaves equal, [some] differ")];
    snapshot("compare_other_checkpoints", &lines.join("\n"), &counts);
}
