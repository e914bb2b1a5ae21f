//! Finds and kills every process of a run.

use super::environment::RUN_VARIABLE;
use super::table::{self, Process};
use rustix::process::{Pid, Signal, WaitOptions};
use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A process in an uninterruptible wait dies only when the wait ends; after this the driver stops waiting for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kills the tree of `root`, which must not have been reaped, and reaps those descendants that the driver inherited.
/// The root itself is left for its owner to reap. Returns how many processes were alive, the root included.
#[expect(clippy::disallowed_methods, reason = "waits for processes to end with a deadline")]
pub fn kill(root: u32, mark: &str) -> usize {
    let deadline = Instant::now() + PATIENCE;
    let mut seen = BTreeSet::from([root]);
    let mut killed = BTreeSet::new();
    loop {
        let members = members(&table::read(), root, mark, &seen);
        seen.extend(members.iter().map(|member| member.pid));
        let mut alive = false;
        for member in members {
            if member.zombie {
                reap(&member, root);
            } else {
                alive = true;
                if signal(&member) {
                    killed.insert(member.pid);
                }
            }
        }
        // New processes may have been forked while the table was read, so look again until nothing is alive.
        if !alive || Instant::now() > deadline {
            return killed.len();
        }
        sleep(Duration::from_millis(1));
    }
}

/// The root, the driver's own children that carry the run's mark or its group, those seen before, and all of their
/// descendants.
fn members(table: &[Process], root: u32, mark: &str, seen: &BTreeSet<u32>) -> Vec<Process> {
    let driver = std::process::id();
    let adopted = |process: &Process| {
        process.parent == driver
            && (seen.contains(&process.pid)
                || process.group == root
                || table::has_variable(process.pid, RUN_VARIABLE, mark))
    };
    let mut ids: BTreeSet<u32> =
        table.iter().filter(|process| process.pid == root || adopted(process)).map(|process| process.pid).collect();
    if cfg!(not(target_os = "linux")) {
        ids.extend(table.iter().filter(|process| process.group == root).map(|process| process.pid));
    }
    loop {
        let before = ids.len();
        let children: Vec<_> = table.iter().filter(|process| ids.contains(&process.parent)).collect();
        ids.extend(children.iter().map(|process| process.pid));
        if ids.len() == before {
            return table.iter().filter(|process| ids.contains(&process.pid)).copied().collect();
        }
    }
}

/// Sends SIGKILL to exactly this process: the descriptor pins it, then its start is compared.
#[cfg(target_os = "linux")]
fn signal(process: &Process) -> bool {
    let Some(pid) = Pid::from_raw(process.pid.cast_signed()) else { return false };
    let Ok(pinned) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) else { return false };
    table::process(process.pid).is_some_and(|now| now.started == process.started)
        && rustix::process::pidfd_send_signal(pinned, Signal::KILL).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn signal(process: &Process) -> bool {
    Pid::from_raw(process.pid.cast_signed()).is_some_and(|pid| rustix::process::kill_process(pid, Signal::KILL).is_ok())
}

fn reap(process: &Process, root: u32) {
    if process.parent != std::process::id() || process.pid == root {
        return;
    }
    if let Some(pid) = Pid::from_raw(process.pid.cast_signed()) {
        // An error means that someone else has reaped it.
        let _reaped = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}
