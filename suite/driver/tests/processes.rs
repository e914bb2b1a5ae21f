//! Real process trees, killed in every way in which a driver can end. This file has its own `main`, because it also
//! plays the driver that is killed and the trainer that must not outlive it.
#![expect(clippy::disallowed_methods, reason = "waits with deadlines and looks at environments")]

use driver::process::{Child, Ending, Launch, PARENT_VARIABLE, PASSED, RUN_VARIABLE, die_with_parent, tail};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Which part this executable plays instead of testing: `driver FOLDER` or `trainer FOLDER`.
const ROLE: &str = "DRIVER_TEST_ROLE";
const FOLDER: &str = "DRIVER_TEST_FOLDER";
const LONG: Duration = Duration::from_secs(20);
const TREE: [&str; 4] = ["child", "double_fork", "new_session", "root"];

fn main() -> ExitCode {
    match (std::env::var(ROLE).as_deref(), std::env::var_os(FOLDER)) {
        (Ok("driver"), Some(folder)) => return play_driver(Path::new(&folder)),
        (Ok("trainer"), Some(folder)) => return play_trainer(Path::new(&folder)),
        _ => {}
    }
    let trials = vec![
        test("a_tree_that_ignores_sigterm_double_forks_and_leaves_its_session_is_killed", a_stubborn_tree_is_killed),
        test("what_a_process_leaves_behind_is_killed_when_it_ends", leftovers_are_killed),
        test("a_time_out_is_reported_and_dropping_the_child_kills_it", a_dropped_child_is_killed),
        test("a_child_sees_only_the_listed_environment", the_environment_is_clean),
        test("two_trees_of_one_driver_are_told_apart", trees_are_told_apart),
        test("nothing_survives_a_sigkill_of_the_driver", || nothing_survives("KILL", 9)),
        test("nothing_survives_a_ctrl_c_of_the_driver", || nothing_survives("INT", 2)),
        test("nothing_survives_a_sigterm_of_the_driver", || nothing_survives("TERM", 15)),
        test("a_trainer_whose_driver_is_already_gone_ends_at_once", a_late_trainer_ends),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn test(name: &str, body: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, move || body().map_err(Failed::from))
}

fn launch(folder: &Path, command: &[&str]) -> Launch {
    Launch {
        command: command.iter().map(|&argument| argument.to_owned()).collect(),
        environment: BTreeMap::from([("LISTED".to_owned(), "1".to_owned())]),
        directory: folder.to_owned(),
        stdout: folder.join("stdout.log"),
        stderr: folder.join("stderr.log"),
        nonce: driver::nonce::draw(),
    }
}

fn stubborn(folder: &Path, more: &[&str]) -> Launch {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees/stubborn.py");
    let mut command = vec!["python3", script.to_str().expect("the path is text"), folder.to_str().expect("text")];
    command.extend(more);
    launch(folder, &command)
}

fn start(launch: &Launch) -> Result<Child, String> {
    Child::start(launch, || {}).map_err(|error| error.to_string())
}

/// Waits until every process of the tree has written its id.
fn ids(folder: &Path, names: &[&str]) -> Result<Vec<u32>, String> {
    let deadline = Instant::now() + LONG;
    let read = |name: &&str| std::fs::read_to_string(folder.join(name)).ok()?.parse().ok();
    loop {
        if let Some(found) = names.iter().map(read).collect::<Option<Vec<u32>>>() {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return Err(format!("the tree did not start: {}", tail(&folder.join("stderr.log"), 2000)));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().is_empty() && !rest.trim_start().starts_with('Z'))
}

fn expect_dead(ids: &[u32], patience: Duration) -> Result<(), String> {
    let deadline = Instant::now() + patience;
    while ids.iter().any(|pid| alive(*pid)) {
        if Instant::now() > deadline {
            let survivors: Vec<_> = ids.iter().filter(|pid| alive(**pid)).collect();
            return Err(format!("{survivors:?} of {ids:?} survived"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn check(fact: bool, otherwise: impl std::fmt::Debug) -> Result<(), String> {
    if fact { Ok(()) } else { Err(format!("{otherwise:?}")) }
}

fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| error.to_string())
}

fn a_stubborn_tree_is_killed() -> Result<(), String> {
    let folder = folder()?;
    let mut child = start(&stubborn(folder.path(), &[]))?;
    let ids = ids(folder.path(), &TREE)?;
    check(ids.iter().all(|pid| alive(*pid)), "the tree was not alive")?;
    let exit = child.kill_tree().map_err(|error| error.to_string())?;
    // The middle of a double fork may still be alive.
    check(exit.ending == Ending::SIGKILL && exit.killed >= 4, &exit)?;
    expect_dead(&ids, Duration::ZERO)
}

fn leftovers_are_killed() -> Result<(), String> {
    let folder = folder()?;
    let mut child = start(&stubborn(folder.path(), &["leave"]))?;
    let exit = child.wait(LONG).map_err(|error| error.to_string())?;
    let exit = exit.ok_or("the root did not end")?;
    check(exit.ending == Ending::Code(7) && exit.killed >= 3, &exit)?;
    expect_dead(&ids(folder.path(), &TREE[..3])?, Duration::ZERO)
}

fn a_dropped_child_is_killed() -> Result<(), String> {
    let folder = folder()?;
    let mut child = start(&stubborn(folder.path(), &[]))?;
    let ids = ids(folder.path(), &TREE)?;
    let still = child.wait(Duration::from_millis(10)).map_err(|error| error.to_string())?;
    check(still.is_none(), &still)?;
    drop(child);
    expect_dead(&ids, Duration::ZERO)
}

fn the_environment_is_clean() -> Result<(), String> {
    let folder = folder()?;
    let stray = std::env::vars_os().any(|(name, _)| !PASSED.iter().any(|passed| name == *passed));
    check(stray, "the test needs a stray variable to lose")?;
    start(&launch(folder.path(), &["env"]))?.wait(LONG).map_err(|error| error.to_string())?;
    let text = tail(&folder.path().join("stdout.log"), 100_000);
    let names: Vec<_> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let known = |name: &&str| PASSED.contains(name) || ["LISTED", PARENT_VARIABLE, RUN_VARIABLE].contains(name);
    check(names.iter().all(known) && names.contains(&"LISTED") && names.contains(&"PATH"), names)
}

fn trees_are_told_apart() -> Result<(), String> {
    let (one, two) = (folder()?, folder()?);
    let mut first = start(&stubborn(one.path(), &[]))?;
    let second = start(&stubborn(two.path(), &[]))?;
    let (first_ids, second_ids) = (ids(one.path(), &TREE)?, ids(two.path(), &TREE)?);
    first.kill_tree().map_err(|error| error.to_string())?;
    expect_dead(&first_ids, Duration::ZERO)?;
    check(second_ids.iter().all(|pid| alive(*pid)), "the other tree was hit")?;
    drop(second);
    expect_dead(&second_ids, Duration::ZERO)
}

fn play(role: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this executable has a path"));
    command.env(ROLE, role).env(FOLDER, folder).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// The driver of these tests starts a foreign tree that knows nothing of drivers, and a trainer that has lost its
/// mark, so that only its own request to the kernel can end it.
fn play_driver(folder: &Path) -> ExitCode {
    let trainer = std::env::current_exe().expect("this executable has a path");
    let mut own = launch(folder, &["env", "-u", RUN_VARIABLE, trainer.to_str().expect("the path is text")]);
    own.environment.insert(ROLE.into(), "trainer".into());
    own.environment.insert(FOLDER.into(), folder.to_str().expect("the path is text").into());
    let children = [Child::start(&stubborn(folder, &[]), || {}), Child::start(&own, || {})];
    std::thread::sleep(LONG);
    drop(children);
    ExitCode::FAILURE
}

fn play_trainer(folder: &Path) -> ExitCode {
    die_with_parent();
    std::fs::write(folder.join("trainer"), std::process::id().to_string()).expect("the folder can be written");
    std::thread::sleep(LONG);
    ExitCode::SUCCESS
}

fn nothing_survives(signal: &str, number: i32) -> Result<(), String> {
    let folder = folder()?;
    let mut driver = play("driver", folder.path()).spawn().map_err(|error| error.to_string())?;
    let names: Vec<_> = TREE.into_iter().chain(["trainer"]).collect();
    let ids = ids(folder.path(), &names)?;
    let sent = Command::new("kill").args([format!("-{signal}"), driver.id().to_string()]).status();
    check(sent.is_ok_and(|status| status.success()), "the signal was not sent")?;
    let status = driver.wait().map_err(|error| error.to_string())?;
    check(status.signal() == Some(number), status)?;
    expect_dead(&ids, Duration::from_secs(5))
}

fn a_late_trainer_ends() -> Result<(), String> {
    let folder: PathBuf = folder()?.path().to_owned();
    let gone = Command::new("true").spawn().and_then(|mut child| child.wait().map(|_| child.id()));
    let gone = gone.map_err(|error| error.to_string())?.to_string();
    let output = play("trainer", &folder).env(PARENT_VARIABLE, gone).output().map_err(|error| error.to_string())?;
    check(output.status.code() == Some(1) && String::from_utf8_lossy(&output.stderr).contains("is gone"), output)
}
