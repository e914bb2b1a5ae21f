use super::Cli;
use clap::CommandFactory;

#[test]
fn the_command_line_is_consistent_and_every_command_shows_an_example() {
    let command = Cli::command();
    command.clone().debug_assert();
    let shows = |command: &clap::Command, path: &str| {
        let help = command.get_after_help().expect("an example").to_string();
        assert!(help.starts_with("Example:\n") && help.contains(path), "{path}: {help}");
    };
    for subcommand in command.get_subcommands() {
        let path = format!("cargo xtask {}", subcommand.get_name());
        shows(subcommand, &path);
        subcommand.get_subcommands().for_each(|inner| shows(inner, &format!("{path} {}", inner.get_name())));
    }
}
