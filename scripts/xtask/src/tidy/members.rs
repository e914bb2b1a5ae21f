//! A plain `cargo build` or `cargo test` at the root means every member.

use super::{Check, Finding, Subject};
use toml::Value;

pub(super) const CHECK: Check =
    Check { name: "members", rule: "default-members lists the root package and every member, in order", run };

fn run(subject: &Subject) -> Vec<Finding> {
    let path = "Cargo.toml";
    let manifest = subject.files.get(path).map_or("", String::as_str);
    let workspace = match manifest.parse::<toml::Table>() {
        Ok(table) => table.get("workspace").cloned().unwrap_or(Value::Boolean(false)),
        Err(error) => return vec![Finding::whole(path, error.to_string())],
    };
    let list = |key: &str| -> Vec<String> {
        let items = workspace.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let members = list("members");
    let mut findings = Vec::new();
    if members.is_empty() || !members.is_sorted() {
        findings.push(Finding::whole(path, "expected a sorted, non-empty list `members`"));
    }
    let expected: Vec<String> = std::iter::once(".".to_owned()).chain(members).collect();
    if list("default-members") != expected {
        findings.push(Finding::whole(path, format!("expected default-members = {expected:?}")));
    }
    findings
}

#[cfg(test)]
mod tests;
