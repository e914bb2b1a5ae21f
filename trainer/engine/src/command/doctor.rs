//! `doctor`: what this machine is, what runs will use, and what would be refused.

use crate::data::{DEVIL, JARGON};
use crate::error::EngineError;
use clap::Args;
use library::registry::Registry;
use numerics::simd::Level;
use std::path::Path;

/// Variables that change what a test runner believes; the suite refuses runs that have them.
const REFUSED: &[&str] = &["INSTA_FORCE_PASS", "INSTA_UPDATE", "NEXTEST_ATTEMPT"];

/// Say what this machine offers to runs, and what the suite would refuse here.
#[derive(Args, Debug)]
#[command(after_help = "Example: lockstep doctor")]
pub struct DoctorCommand {}

impl DoctorCommand {
    /// # Errors
    /// When a shipped recipe cannot be planned.
    #[expect(clippy::disallowed_methods, reason = "says how many cores there are; nothing depends on it")]
    pub fn run(&self) -> Result<(), EngineError> {
        let line = |name: &str, value: String| println!("{name:<22} {value}");
        line("version", env!("CARGO_PKG_VERSION").to_owned());
        line("platform", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
        line("cores", std::thread::available_parallelism().map_or(0, usize::from).to_string());
        for level in Level::ALL {
            let note = if level.is_available() { "present" } else { "absent: its trials are not compared" };
            line(&format!("simd {}", level.name()), note.to_owned());
        }
        line("backend cpu", "present".to_owned());
        line("rooms", Registry::standard().rooms().len().to_string());
        line("corpora", format!("{}, {}", JARGON.name, DEVIL.name));
        for name in plan::recipe::names() {
            let recipe = plan::recipe::load(name)?;
            let registry = Registry::standard();
            let none = plan::passes::mutate::Mutations::default();
            let plan = plan::assemble(&recipe, &contract::request::Part::EndToEnd, &registry, &none)?;
            line(&format!("recipe {name}"), format!("{} MB of planned memory", plan.peak_bytes() / 1_000_000));
        }
        line("shared memory", if Path::new("/dev/shm").is_dir() { "present" } else { "absent" }.to_owned());
        for name in REFUSED {
            if let Some(value) = variable(name) {
                line("would be refused", format!("{name}={value}: it can turn a red trial green"));
            }
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "doctor reports the variables that the suite refuses")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
