//! Workflows run what was reviewed, with as little power as they can.

use super::{Check, Finding, Subject};
use serde_yaml::{Mapping, Value};

pub(super) const CHECK: Check = Check {
    name: "workflows",
    rule: "one workflow: pinned actions, read-only, no kept credentials, bounded, cancelled when outdated",
    run,
};

const FOLDER: &str = ".github/workflows/";

fn run(subject: &Subject) -> Vec<Finding> {
    let workflows: Vec<_> = subject.files.iter().filter(|(path, _)| path.starts_with(FOLDER)).collect();
    if workflows.len() != 1 {
        return vec![Finding::whole(FOLDER, format!("{} workflows; expected one", workflows.len()))];
    }
    let mut findings = Vec::new();
    for (path, text) in workflows {
        findings.extend(pins(path, text));
        match serde_yaml::from_str::<Mapping>(text) {
            Ok(workflow) => findings.extend(rules(&workflow).into_iter().map(|rule| Finding::whole(path, rule))),
            Err(error) => findings.push(Finding::whole(path, error.to_string())),
        }
    }
    findings
}

/// Each `uses` names a full commit and, for people, the version that it is.
fn pins(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(action) = line.trim_start().trim_start_matches("- ").strip_prefix("uses:") else { continue };
        let (action, comment) = action.split_once('#').unwrap_or((action, ""));
        let commit = action.trim().rsplit_once('@').map_or("", |(_, commit)| commit);
        let full = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !full || !comment.trim().starts_with('v') {
            let message = format!("expected `OWNER/ACTION@40-DIGIT-COMMIT # vVERSION`; found `{}`", line.trim());
            findings.push(Finding::at(path, number + 1, message));
        }
    }
    findings
}

fn rules(workflow: &Mapping) -> Vec<String> {
    let mut broken = Vec::new();
    let triggers = workflow.get("on").map(words).unwrap_or_default();
    if !triggers.iter().any(|trigger| trigger == "merge_group") {
        broken.push("`on` lacks `merge_group`: a merge queue would wait for ever".to_owned());
    }
    for trigger in triggers.iter().filter(|trigger| ["pull_request_target", "workflow_run"].contains(&trigger.as_str()))
    {
        broken.push(format!("`on: {trigger}` gives power to code that nobody has reviewed"));
    }
    if workflow.get("permissions").is_none() {
        broken.push("no top-level `permissions`".to_owned());
    }
    if workflow.get("concurrency").is_none() {
        broken.push("no `concurrency`".to_owned());
    }
    broken.extend(workflow.get("permissions").and_then(|value| powerful("the workflow", value)));
    let jobs = workflow.get("jobs").and_then(Value::as_mapping).cloned().unwrap_or_default();
    if jobs.is_empty() {
        broken.push("no job".to_owned());
    }
    for (name, job) in &jobs {
        let name = format!("job `{}`", name.as_str().unwrap_or("?"));
        if job.get("timeout-minutes").and_then(Value::as_u64).is_none() {
            broken.push(format!("{name} has no `timeout-minutes`"));
        }
        broken.extend(job.get("permissions").and_then(|value| powerful(&name, value)));
        for step in job.get("steps").and_then(Value::as_sequence).into_iter().flatten() {
            broken.extend(step_rules(&name, step));
        }
    }
    broken
}

fn step_rules(job: &str, step: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or("");
    if text("uses").starts_with("actions/checkout@") {
        let kept = step.get("with").and_then(|with| with.get("persist-credentials")).and_then(Value::as_bool);
        if kept != Some(false) {
            broken.push(format!("{job} checks out without `persist-credentials: false`"));
        }
    }
    if text("run").contains("${{") {
        broken.push(format!("{job} puts an expression into a script; pass it through `env`"));
    }
    if step.get("continue-on-error").is_some() {
        broken.push(format!("{job} goes on after an error"));
    }
    broken
}

/// The names in `on: name`, `on: [name]` or `on: {name: …}`.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Sequence(names) => names.iter().flat_map(words).collect(),
        Value::Mapping(names) => names.keys().flat_map(words).collect(),
        _ => Vec::new(),
    }
}

fn powerful(owner: &str, permissions: &Value) -> Option<String> {
    let levels = match permissions {
        Value::String(level) => vec![level.as_str()],
        Value::Mapping(scopes) => scopes.values().filter_map(Value::as_str).collect(),
        _ => return Some(format!("{owner} has `permissions` that cannot be read")),
    };
    let harmless = |level: &&str| ["read", "none", "read-all"].contains(level);
    (!levels.iter().all(harmless)).then(|| format!("{owner} may write: {levels:?}"))
}

#[cfg(test)]
mod tests;
