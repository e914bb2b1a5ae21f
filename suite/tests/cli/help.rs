use super::*;

/// The names of the subcommands, from the help itself.
fn commands(directory: &Path, path: &[&str]) -> Vec<String> {
    let help = said(directory, path.iter().chain(&["--help"]));
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = list.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_has_an_example_that_is_a_command() {
    let here = Path::new(ROOT);
    let all = commands(here, &[]);
    let expected =
        ["train", "run", "recipes", "plan", "describe", "compare", "precision", "verify", "doctor", "golden"];
    assert_eq!(all, expected);
    let mut helps: Vec<Vec<&str>> = expected.iter().map(|name| vec![*name]).collect();
    helps.push(vec!["golden", "propose"]);
    helps.retain(|path| path != &["golden"]);
    for path in helps {
        let help = said(here, path.iter().chain(&["--help"]));
        let examples = help.split_once("Example").map_or("", |(_, examples)| examples);
        let own = examples.contains(&format!("lockstep {}", path.join(" ")));
        assert!(own, "{path:?} has no example of itself:\n{help}");
    }
}

#[test]
fn an_unknown_command_names_the_nearest_and_no_command_shows_the_help() {
    let here = Path::new(ROOT);
    let (code, _, stderr) = lockstep(here, ["trian"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("train"), "{stderr}");
    let (code, _, stderr) = lockstep(here, [""; 0]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("Examples:"), "{stderr}");
}

#[test]
fn the_help_of_train_names_every_exit_code() {
    let help = said(Path::new(ROOT), ["train", "--help"]);
    for (code, _) in engine::error::EXIT_CODES {
        assert!(help.contains(&format!("{code} ")), "{code} is not in:\n{help}");
    }
}
