use super::Cli;
use clap::CommandFactory;

#[test]
fn the_command_line_is_consistent_and_every_command_shows_an_example() {
    let command = Cli::command();
    command.clone().debug_assert();
    for subcommand in command.get_subcommands() {
        let help = subcommand.get_after_help().expect("an example").to_string();
        let example = format!("cargo xtask {}", subcommand.get_name());
        assert!(help.starts_with("Example:\n") && help.contains(&example), "{help}");
    }
}
