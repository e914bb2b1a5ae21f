//! The one thread that starts children, the list of those alive, and what happens to them when the driver ends.

use super::tree;
use crate::nonce;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Marks everything that this driver starts.
pub fn token() -> &'static str {
    static TOKEN: OnceLock<String> = OnceLock::new();
    TOKEN.get_or_init(nonce::draw)
}

/// Starts `command` on the spawner thread and enters it in the list of the living under `mark`.
pub fn spawn(command: Command, mark: String) -> io::Result<Child> {
    static SPAWNER: OnceLock<Sender<Job>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(start);
    let (reply, answer) = channel();
    spawner.send(Job { command, mark, reply }).expect("the spawner thread lives as long as the driver");
    answer.recv().expect("the spawner thread answers every job")
}

/// Strikes a child off the list. Call it before the child is reaped, so that no later process with its id is hit.
pub fn forget(pid: u32) {
    living().children.remove(&pid);
}

struct Job {
    command: Command,
    mark: String,
    reply: Sender<io::Result<Child>>,
}

#[derive(Default)]
struct Living {
    ending: bool,
    children: BTreeMap<u32, String>,
}

fn living() -> MutexGuard<'static, Living> {
    static LIVING: Mutex<Living> = Mutex::new(Living { ending: false, children: BTreeMap::new() });
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "the one thread that starts children, and the one that hears signals")]
fn start() -> Sender<Job> {
    let (sender, jobs) = channel();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).expect("Linux lets a process be a subreaper");
    kill_all_on_signals();
    thread::Builder::new().name("spawner".into()).spawn(|| work(jobs)).expect("the driver can start a thread");
    sender
}

fn work(jobs: Receiver<Job>) {
    let _watchdog = watchdog();
    for mut job in jobs {
        // The list stays locked while the child starts: a signal that comes now waits and then finds the child.
        let mut living = living();
        let child = if living.ending {
            Err(io::Error::new(io::ErrorKind::Interrupted, "the driver is ending"))
        } else {
            job.command.spawn()
        };
        if let Ok(child) = &child {
            living.children.insert(child.id(), job.mark);
        }
        drop(living);
        // Whoever asked may have ended; then the child is in the list and dies with the driver.
        let _gone = job.reply.send(child);
    }
}

/// A shell that reads until the driver's end of the pipe closes, which happens at any kind of death, and then kills
/// whatever carries the driver's mark. Without a shell or `grep` there is no watchdog, and nothing else changes.
fn watchdog() -> Option<Child> {
    use std::os::unix::process::CommandExt;
    const SCRIPT: &str = r#"trap '' INT TERM HUP
read -r _
for round in 1 2 3 4 5; do
  found=$(grep -lsF -- "$0" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for path in $found; do pid=${path#/proc/}; kill -9 "${pid%/environ}"; done
done"#;
    let mark = format!("{}={}", super::RUN_VARIABLE, token());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT, &mark]).env_clear().env("PATH", "/usr/bin:/bin").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

#[expect(clippy::disallowed_methods, reason = "the one thread that starts children, and the one that hears signals")]
fn kill_all_on_signals() {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .expect("the driver can handle SIGINT, SIGTERM and SIGHUP");
    let handle = move || {
        if let Some(signal) = signals.forever().next() {
            kill_all();
            let _unreachable = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    thread::Builder::new().name("signals".into()).spawn(handle).expect("the driver can start a thread");
}

fn kill_all() {
    let mut living = living();
    living.ending = true;
    for (pid, mark) in &living.children {
        tree::kill(*pid, mark);
    }
}
