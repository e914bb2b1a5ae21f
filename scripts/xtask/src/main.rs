//! `cargo xtask …`: see `cargo xtask --help`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    xtask::cli_main()
}
