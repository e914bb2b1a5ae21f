//! The table of verdicts in the README is the enum.

use super::{Check, Finding, Subject};

pub(super) const CHECK: Check = Check {
    name: "verdicts",
    rule: "README lists every verdict with the exit code and the sentence of suite/contract/src/verdict.rs",
    run,
};

const SOURCE: &str = "suite/contract/src/verdict.rs";
const README: &str = "README.md";

fn run(subject: &Subject) -> Vec<Finding> {
    let text = |path: &str| subject.files.get(path).map_or("", String::as_str);
    let rows = rows(text(SOURCE));
    if rows.is_empty() {
        return vec![Finding::whole(SOURCE, "no verdict was found, so nothing was compared")];
    }
    let listed: Vec<&str> = text(README).lines().filter(|line| line.starts_with("| `") && is_verdict(line)).collect();
    let mut findings: Vec<Finding> = rows
        .iter()
        .filter(|row| !listed.contains(&row.as_str()))
        .map(|row| Finding::whole(README, format!("expected the line {row}")))
        .collect();
    for line in listed.iter().filter(|line| !rows.iter().any(|row| row == *line)) {
        findings.push(Finding::whole(README, format!("no such verdict: {line}")));
    }
    findings
}

/// Lines that begin with a name in capitals.
fn is_verdict(line: &str) -> bool {
    let name = line.trim_start_matches("| `").split('`').next().unwrap_or("");
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// The lines that the README must have. Each arm of the source's matches is `Self::Name => value,`.
fn rows(source: &str) -> Vec<String> {
    let arms: Vec<(&str, &str)> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.strip_suffix(',')?.split_once(" => "))
        .collect();
    let of = |variant: &str, wanted: fn(&str) -> bool| {
        arms.iter().find(|(name, value)| *name == variant && wanted(value)).map(|(_, value)| value.trim_matches('"'))
    };
    let is_code = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |value: &str| value.trim_matches('"').bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let codes = arms.iter().filter(|(_, value)| is_code(value));
    codes
        .map(|(variant, code)| {
            let sentence = of(variant, |value| value.ends_with(".\"")).unwrap_or("?");
            format!("| `{}` | {code} | {sentence} |", of(variant, is_name).unwrap_or("?"))
        })
        .collect()
}

#[cfg(test)]
mod tests;
