//! The trainer's side: a run must not outlive the driver that started it.

use super::environment::PARENT_VARIABLE;

/// Asks the kernel to kill this process when the driver that started it dies. Does nothing when no driver started
/// it. Call it first in `main`.
///
/// The driver may have died before the request was made; then this process ends at once.
#[expect(clippy::disallowed_methods, reason = "the driver names itself to its children")]
pub fn die_with_parent() {
    let Some(driver) = std::env::var(PARENT_VARIABLE).ok().and_then(|text| text.parse::<i32>().ok()) else {
        return;
    };
    // First arm, then look: in the other order the driver could die in between.
    let armed = arm();
    let gone = rustix::process::Pid::from_raw(driver)
        .is_none_or(|driver| rustix::process::test_kill_process(driver) == Err(rustix::io::Errno::SRCH));
    if gone {
        eprintln!("the driver {driver} that started this run is gone; nothing was run");
        std::process::exit(1);
    }
    if let Err(error) = armed {
        eprintln!("cannot tie this run to the driver {driver}: {error}");
        std::process::exit(1);
    }
}

#[cfg(target_os = "linux")]
fn arm() -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
}

#[cfg(not(target_os = "linux"))]
fn arm() -> rustix::io::Result<()> {
    Ok(())
}
