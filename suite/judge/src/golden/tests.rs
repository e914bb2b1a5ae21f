use super::*;
use crate::battery::craft::Craft;
use crate::outcome::Outcome;
use contract::verdict::Verdict;

fn contracts() -> Vec<String> {
    vec!["mlp.chain.v1".to_owned(), "embedding.chain.v1".to_owned()]
}

fn made(craft: &Craft) -> Golden {
    let scratch = tempfile::tempdir().unwrap();
    craft.write(&scratch.path().join("run")).unwrap();
    Golden::from_trace(&scratch.path().join("run"), &contracts()).unwrap()
}

fn judged(golden: &Golden, craft: &Craft) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    craft.write(&scratch.path().join("run")).unwrap();
    compare(golden, "golden", &scratch.path().join("run"), &contracts())
}

#[test]
fn a_golden_reads_back_as_it_was_rendered_and_insta_reads_it_too() {
    for craft in [Craft::training("n", 4, 1), Craft::kernel("n")] {
        let golden = made(&craft);
        let text = golden.render();
        assert_eq!(Golden::parse(&text).unwrap(), golden);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("end_to_end.snap");
        std::fs::write(&path, &text).unwrap();
        let snapshot = insta::Snapshot::from_file(&path).unwrap();
        assert_eq!(snapshot.as_text().unwrap().to_string(), golden.lines.join("\n"));
        assert_eq!(snapshot.metadata().source(), Some("suite/tests/determinism/main.rs"));
        assert!(snapshot.metadata().description().is_some());
        assert_eq!(Golden::read(&path).unwrap(), golden);
    }
}

#[test]
fn an_end_to_end_golden_keeps_every_scalar_and_the_last_state() {
    let golden = made(&Craft::training("n", 4, 1));
    let count = |what: &str| golden.lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!((count(" scalar loss "), count(" all-state "), count(" params/w ")), (4, 4, 1));
    assert!(golden.lines.iter().any(|line| line.starts_with("3 params/w f32 [8] ")));
    assert_eq!(golden.info.recipe_digest.as_deref(), Some("recipe"));
    let mut module = Craft::training("n", 4, 1);
    module.run.part = Part::Module("mlp".into());
    assert_eq!(made(&module).lines.iter().filter(|line| line.contains(" params/w ")).count(), 4);
}

#[test]
fn a_room_has_its_own_folder_and_a_recipe_one_file_a_part() {
    assert_eq!(Golden::name("dense", &Part::Kernel("rope".into())), Path::new("rope/cases.snap"));
    assert_eq!(Golden::name("dense", &Part::Module("mlp".into())), Path::new("dense/mlp.snap"));
    assert_eq!(Golden::name("dense", &Part::EndToEnd), Path::new("dense/end_to_end.snap"));
}

#[test]
fn a_run_that_drifts_names_the_step_and_the_leaf() {
    let golden = made(&Craft::training("then", 4, 1));
    assert_eq!(judged(&golden, &Craft::training("now", 4, 1)).verdict, Verdict::Pass);
    let mut drifted = Craft::training("now", 4, 1);
    drifted.set(0, 2, "params/b", "x");
    drifted.set(0, 3, "params/b", "y");
    let outcome = judged(&golden, &drifted);
    assert_eq!(outcome.verdict, Verdict::Drift);
    let divergence = outcome.divergence.unwrap();
    assert_eq!((divergence.step, divergence.name.as_str(), divergence.section()), (2, "params/b", Some("params")));
    let mut scalar = Craft::training("now", 4, 1);
    scalar.set(0, 1, "grad_norm", "3f800007");
    let divergence = judged(&golden, &scalar).divergence.unwrap();
    assert_eq!((divergence.step, divergence.name.as_str()), (1, "grad_norm"));
    assert_eq!((divergence.left.as_str(), divergence.right.as_str()), ("3f800001", "3f800007"));
}

#[test]
fn one_digit_flipped_in_any_line_of_a_golden_is_drift() {
    for craft in [Craft::training("n", 3, 1), Craft::kernel("n")] {
        let golden = made(&craft);
        for line in 0..golden.lines.len() {
            let mut flipped = golden.clone();
            let last = flipped.lines[line].pop().unwrap();
            flipped.lines[line].push(if last == '0' { '1' } else { '0' });
            assert_eq!(judged(&flipped, &craft).verdict, Verdict::Drift, "{}", golden.lines[line]);
        }
    }
}

#[test]
fn a_longer_or_shorter_run_and_a_missing_line_are_drift() {
    let golden = made(&Craft::training("then", 4, 1));
    assert_eq!(judged(&golden, &Craft::training("now", 5, 1)).verdict, Verdict::Drift);
    assert_eq!(judged(&golden, &Craft::training("now", 3, 1)).verdict, Verdict::Drift);
    let mut short = golden.clone();
    short.lines.remove(3);
    assert_eq!(judged(&short, &Craft::training("now", 4, 1)).verdict, Verdict::Drift);
}

#[test]
fn a_golden_of_another_recipe_digest_is_none_and_a_missing_file_says_what_to_do() {
    let golden = made(&Craft::training("then", 4, 1));
    let mut other = Craft::training("now", 4, 1);
    other.run.recipe_digest = "changed".into();
    assert_eq!(judged(&golden, &other).verdict, Verdict::NoGolden);
    let missing = read_or_outcome(Path::new("/nowhere/x.snap"), "golden").unwrap_err();
    assert_eq!(missing.verdict, Verdict::NoGolden);
    assert!(missing.message.contains("cargo xtask bless"));
}

#[test]
fn text_that_is_no_golden_is_refused() {
    let text = made(&Craft::kernel("n")).render();
    let header = text.split_once("\n---\n").unwrap().0;
    for broken in ["", "x", &text.replace("---", "==="), &format!("{header}\n---\n"), &text.replace("part:", "pert:")] {
        assert!(Golden::parse(broken).is_err(), "{broken}");
    }
}
