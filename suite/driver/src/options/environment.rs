//! Options from the environment, for runners that pass no arguments of their own.

use std::ffi::OsString;

/// Each variable and the option that it stands for.
pub const VARIABLES: [(&str, &str); 13] = [
    ("LOCKSTEP_RECIPE", "--recipe"),
    ("LOCKSTEP_LEVEL", "--level"),
    ("LOCKSTEP_CLAIM", "--claim"),
    ("LOCKSTEP_ROOM", "--room"),
    ("LOCKSTEP_REQUIRE", "--require"),
    ("LOCKSTEP_STEPS", "--steps"),
    ("LOCKSTEP_SEED", "--seed"),
    ("LOCKSTEP_KEEP", "--keep"),
    ("LOCKSTEP_JOBS", "--jobs"),
    ("LOCKSTEP_JSON", "--json"),
    ("LOCKSTEP_ADAPTER", "--adapter"),
    ("LOCKSTEP_TRAINER", "--trainer"),
    ("LOCKSTEP_ROOT", "--root"),
];

/// Adds an argument for each variable that is set, is not empty and whose option is not given. They are inserted at
/// index `at`: 1 after a program's name, 2 after a subcommand.
pub fn with_environment(
    mut arguments: Vec<OsString>,
    at: usize,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<OsString> {
    let given = |option: &str, arguments: &[OsString]| {
        arguments.iter().take_while(|argument| *argument != "--").any(|argument| {
            let text = argument.to_string_lossy();
            text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    let added: Vec<OsString> = VARIABLES
        .iter()
        .filter(|(_, option)| !given(option, &arguments))
        .filter_map(|(name, option)| Some((option, variable(name).filter(|value| !value.is_empty())?)))
        .filter_map(|(option, value)| {
            if *option == "--keep" {
                return (value != "0").then(|| OsString::from("--keep"));
            }
            let mut argument = OsString::from(format!("{option}="));
            argument.push(value);
            Some(argument)
        })
        .collect();
    let at = at.min(arguments.len());
    arguments.splice(at..at, added);
    arguments
}
