use super::*;
use clap::CommandFactory;

fn parse(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Options, clap::Error> {
    let arguments = std::iter::once("determinism").chain(arguments.iter().copied()).map(OsString::from);
    let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    Options::parse_with(arguments, find)
}

#[test]
fn the_command_line_is_sound_and_every_option_is_parsed() {
    Options::command().debug_assert();
    let options = parse(
        &[
            "--recipe",
            "a,b",
            "--recipe",
            "c",
            "--level",
            "end_to_end",
            "--claim",
            "repeat,golden",
            "--room",
            "rmsnorm",
            "--require",
            "avx512",
            "--steps",
            "3",
            "--seed",
            "18446744073709551615",
            "--keep",
            "--jobs",
            "3",
            "--json",
            "r.json",
            "--adapter",
            "a.yaml",
            "--trainer",
            "t",
            "--root",
            "r",
            "--exact",
            "--skip",
            "x",
            "--list",
            "--format",
            "terse",
            "name",
        ],
        &[],
    )
    .unwrap();
    assert_eq!(options.recipe, ["a", "b", "c"]);
    assert_eq!(options.level, [Level::EndToEnd]);
    assert_eq!(options.claim, [Claim::Repeat, Claim::Golden]);
    assert_eq!(
        (options.room.as_slice(), options.require.as_slice()),
        (&["rmsnorm".into()][..], &["avx512".into()][..])
    );
    assert_eq!((options.steps, options.seed, options.keep), (Some(3), Some(u64::MAX), true));
    assert_eq!(options.libtest.test_threads, Some(3));
    assert_eq!(options.json.unwrap().to_str(), Some("r.json"));
    assert_eq!(options.adapter.unwrap().to_str(), Some("a.yaml"));
    assert_eq!(options.trainer.unwrap().to_str(), Some("t"));
    assert_eq!(options.root.unwrap().to_str(), Some("r"));
    assert!(options.libtest.exact && options.libtest.list);
    assert_eq!((options.libtest.skip, options.libtest.filter), (vec!["x".into()], Some("name".into())));
}

#[test]
fn a_recipe_takes_one_value_so_that_a_filter_can_follow() {
    let options = parse(&["--recipe", "tiny", "repeat"], &[]).unwrap();
    assert_eq!((options.recipe, options.libtest.filter), (vec!["tiny".to_owned()], Some("repeat".to_owned())));
}

#[test]
fn every_variable_stands_for_its_option() {
    let values = |option: &str| match option {
        "--level" => "kernel",
        "--claim" => "repeat",
        "--steps" | "--seed" | "--jobs" | "--keep" => "1",
        _ => "x",
    };
    let variables: Vec<_> = VARIABLES.iter().map(|(name, option)| (*name, values(option))).collect();
    let options = parse(&[], &variables).unwrap();
    assert_eq!((options.recipe, options.room, options.require), (vec!["x".into()], vec!["x".into()], vec!["x".into()]));
    assert_eq!((options.level, options.claim), (vec![Level::Kernel], vec![Claim::Repeat]));
    assert_eq!((options.steps, options.seed, options.keep), (Some(1), Some(1), true));
    assert_eq!(options.libtest.test_threads, Some(1));
    assert!([options.json, options.adapter, options.trainer, options.root].iter().all(Option::is_some));
}

#[test]
fn an_empty_variable_counts_as_not_set_and_an_argument_goes_first() {
    let empty: Vec<_> = VARIABLES.iter().map(|(name, _)| (*name, "")).collect();
    let options = parse(&[], &empty).unwrap();
    assert!(options.recipe.is_empty() && options.seed.is_none() && !options.keep);
    let options =
        parse(&["--recipe=tiny", "--seed", "2"], &[("LOCKSTEP_RECIPE", "other"), ("LOCKSTEP_SEED", "1")]).unwrap();
    assert_eq!((options.recipe, options.seed), (vec!["tiny".to_owned()], Some(2)));
    assert!(!parse(&[], &[("LOCKSTEP_KEEP", "0")]).unwrap().keep);
    assert!(parse(&[], &[("LOCKSTEP_SEED", "seven")]).is_err());
}

#[test]
fn several_trials_run_at_once_unless_told_otherwise() {
    assert!(parse(&[], &[]).unwrap().libtest.test_threads.is_some_and(|threads| threads >= 3));
    assert_eq!(parse(&["--test-threads", "5"], &[]).unwrap().libtest.test_threads, Some(5));
}

#[test]
fn the_filter_is_that_of_libtest() {
    let options = parse(&["repeat", "--skip", "module"], &[]).unwrap();
    assert!(options.filter_matches("a::kernel::x::repeat"));
    assert!(!options.filter_matches("a::module::x::repeat"));
    assert!(!parse(&["--exact", "repeat"], &[]).unwrap().filter_matches("a::repeat"));
}

#[test]
fn retries_and_settings_that_turn_a_mismatch_green_are_refused() {
    let with = |name: &'static str, value: &'static str| refuse(move |key| (key == name).then(|| value.into()));
    for (name, value) in
        [("NEXTEST_ATTEMPT", "2"), ("INSTA_FORCE_PASS", "1"), ("INSTA_UPDATE", "always"), ("INSTA_UPDATE", "force")]
    {
        assert!(with(name, value).is_some_and(|message| message.contains(name)), "{name}={value}");
    }
    for (name, value) in
        [("NEXTEST_ATTEMPT", "1"), ("NEXTEST_ATTEMPT", ""), ("INSTA_FORCE_PASS", "0"), ("INSTA_UPDATE", "no")]
    {
        assert_eq!(with(name, value), None, "{name}={value}");
    }
}
