//! The environment of a child: what is listed here and in the adapter, and nothing else.

use std::collections::BTreeMap;
use std::process::Command;

/// Holds the driver's process id. A trainer that finds it calls [`super::die_with_parent`].
pub const PARENT_VARIABLE: &str = "LOCKSTEP_PARENT";

/// Marks every process of a run, `<driver>.<run>`, so that orphans can be found.
pub const RUN_VARIABLE: &str = "LOCKSTEP_RUN";

/// Variables that a child gets from the driver's own environment: where programs, home and scratch space are, how
/// text is encoded, and which GPUs a scheduler has assigned. Whatever else a trainer needs stands in its adapter.
pub const PASSED: [&str; 8] =
    ["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "XDG_CACHE_HOME", "CUDA_VISIBLE_DEVICES"];

/// Replaces the environment of `command`.
#[expect(clippy::disallowed_methods, reason = "the home of what a child inherits")]
pub fn clean(command: &mut Command, added: &BTreeMap<String, String>, mark: &str) {
    command.env_clear();
    for name in PASSED {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(added);
    command.env(PARENT_VARIABLE, std::process::id().to_string());
    command.env(RUN_VARIABLE, mark);
}
