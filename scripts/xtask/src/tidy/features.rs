//! No cargo feature changes what is built: one that a test turns on would leak into the ordinary binary.

use super::{Check, Finding, Subject};
use toml::{Table, Value};

pub(super) const CHECK: Check =
    Check { name: "features", rule: "no crate of the workspace has features or optional dependencies", run };

fn run(subject: &Subject) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in subject.files.iter().filter(|(path, _)| is_manifest(path)) {
        match text.parse::<Table>() {
            Err(error) => findings.push(Finding::whole(path, error.to_string())),
            Ok(manifest) => {
                if manifest.contains_key("features") {
                    findings.push(Finding::whole(path, "a [features] section; make it a run-time choice"));
                }
                let dependencies = manifest.get("dependencies").and_then(Value::as_table).into_iter().flatten();
                for (name, value) in dependencies {
                    if value.get("optional").and_then(Value::as_bool) == Some(true) {
                        findings.push(Finding::whole(path, format!("`{name}` is optional; always compile it")));
                    }
                }
            }
        }
    }
    findings
}

fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

#[cfg(test)]
mod tests;
