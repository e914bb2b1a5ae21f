//! A room is one folder, one line of the registry, one golden folder and one contract in prose.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "rooms",
    rule: "every room folder is declared, registered, documented, tested and has its golden",
    run,
};

const LIBRARY: &str = "kernels/library/src";
/// Folders that hold rooms.
const GROUPS: &[&str] = &["ops", "fused", "optim", "formats", "collectives"];
/// Parts of a room's contract, in this order.
const HEADINGS: &[&str] = &["**Computes.**", "**Order of operations.**", "**Variants.**", "**Not promised.**"];

fn run(subject: &Subject) -> Vec<Finding> {
    let registry_path = format!("{LIBRARY}/registry.rs");
    let rooms: Vec<(&str, &str)> = subject.files.keys().filter_map(|path| room_of(path)).collect();
    if rooms.is_empty() {
        return vec![Finding::whole(LIBRARY, "no room was found; expected folders like ops/NAME/mod.rs")];
    }
    let registry = subject.files.get(&registry_path).map_or("", String::as_str);
    let mut findings = Vec::new();
    for (group, room) in rooms {
        let folder = format!("{LIBRARY}/{group}/{room}");
        if !registry.contains(&format!("&{group}::{room}::")) {
            findings.push(Finding::whole(&registry_path, format!("room {group}::{room} is not registered")));
        }
        let parent = format!("{LIBRARY}/{group}/mod.rs");
        let declared = |text: &String| text.lines().any(|line| line.trim() == format!("pub mod {room};"));
        if !subject.files.get(&parent).is_some_and(declared) {
            findings.push(Finding::whole(&parent, format!("expected `pub mod {room};`")));
        }
        if !subject.files.keys().any(|path| path.starts_with(&format!("{folder}/tests"))) {
            findings.push(Finding::whole(&folder, "the room has no tests.rs"));
        }
        findings.extend(contract(&format!("{folder}/mod.rs"), &subject.files[&format!("{folder}/mod.rs")]));
        findings.extend(golden(subject, room));
    }
    findings
}

/// `kernels/library/src/GROUP/ROOM/mod.rs` → (GROUP, ROOM).
fn room_of(path: &str) -> Option<(&str, &str)> {
    let mut parts = path.strip_prefix(LIBRARY)?.strip_prefix('/')?.split('/');
    let (group, room, file) = (parts.next()?, parts.next()?, parts.next()?);
    (GROUPS.contains(&group) && file == "mod.rs" && parts.next().is_none()).then_some((group, room))
}

/// The contract in the module's documentation: all headings, in order.
fn contract(path: &str, text: &str) -> Option<Finding> {
    let documentation: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let documentation = documentation.join("\n");
    let mut from = 0;
    for heading in HEADINGS {
        // Headings may go on before their full stop: "**Order of operations, forward.**".
        let stem = heading.trim_end_matches(".**");
        match documentation[from..].find(stem) {
            Some(at) => from += at + stem.len(),
            None => return Some(Finding::whole(path, format!("the contract lacks {heading} at its place"))),
        }
    }
    None
}

/// Once goldens are kept, every room has its folder.
fn golden(subject: &Subject, room: &str) -> Option<Finding> {
    let kept = subject.files.contains_key("golden/LEDGER.md");
    let folder = format!("golden/{room}/");
    let message = || format!("the room {room} has no golden; run `cargo xtask bless {room} --reason \"…\"`");
    (kept && !subject.files.keys().any(|path| path.starts_with(&folder))).then(|| Finding::whole(&folder, message()))
}

#[cfg(test)]
mod tests;
