//! Compares a run with its golden: DRIFT with the first differing line, and who is guilty of it.

use super::{Golden, GoldenError, OPAQUE};
use crate::divergence::{Divergence, Kind};
use crate::evidence::{EvidenceError, Run, read_env};
use crate::outcome::{Counts, Outcome};
use crate::steps::{Key, Steps};
use contract::claim::Claim;
use contract::record::{Record, Role};
use contract::request::Part;
use contract::run::EnvFile;
use contract::verdict::Verdict;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a golden file; what is wrong with it is an outcome of the trial.
///
/// # Errors
/// NO_GOLDEN when it is missing or not readable.
pub fn read_or_outcome(path: &Path, trial: &str) -> Result<Golden, Box<Outcome>> {
    Golden::read(path).map_err(|error: GoldenError| {
        Box::new(Outcome::new(Verdict::NoGolden, Claim::Golden, trial, error.to_string()))
    })
}

/// Compares the bits of a run with a golden. `contracts` are those of the part's description.
///
/// PASS, DRIFT, ENV_DRIFT (an opaque contract, and another environment), NO_GOLDEN (it belongs to another recipe
/// digest, part or set of contracts) or INVALID.
#[must_use]
pub fn compare(golden: &Golden, trial: &str, run: &Path, contracts: &[String]) -> Outcome {
    judge(golden, trial, run, contracts).unwrap_or_else(|error| Outcome::invalid(Claim::Golden, trial, &error))
}

fn judge(golden: &Golden, trial: &str, run: &Path, contracts: &[String]) -> Result<Outcome, EvidenceError> {
    let now = Golden::from_trace(run, contracts)?;
    let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Golden, trial, message);
    if let Some(message) = other_key(golden, &now) {
        return Ok(outcome(Verdict::NoGolden, message));
    }
    let counts = Counts { ranks: 1, items: golden.lines.len() as u64, ..Counts::default() };
    let moved = environment(golden, run)?;
    let Some(drift) = first_drift(golden, &now) else {
        let mut outcome = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned()).counted(counts);
        outcome.not_compared.extend(moved);
        return Ok(outcome);
    };
    let verdict = if moved.is_some() { Verdict::EnvDrift } else { Verdict::Drift };
    let inputs = if golden.info.part.level() == contract::claim::Level::Kernel { drift.inputs_equal } else { None };
    let divergence = guilty(drift, run)?;
    let message = match (verdict, inputs) {
        (Verdict::EnvDrift, _) => format!("{} ({})", verdict.sentence(), moved.clone().unwrap_or_default()),
        (_, Some(false)) => "The inputs of the case moved, so its output says nothing about the operation.".to_owned(),
        (_, Some(true)) => {
            let op = divergence.op.as_deref().unwrap_or("the operation");
            format!("The inputs are those of the golden and the output is not: `{op}` changed.")
        }
        _ => verdict.sentence().to_owned(),
    };
    let mut outcome = outcome(verdict, message).at(divergence).counted(counts);
    outcome.not_compared.extend(moved);
    Ok(outcome)
}

fn other_key(golden: &Golden, now: &Golden) -> Option<String> {
    let other = |what: &str, a: String, b: String| {
        Some(format!("The golden is of {what} {a}, the run of {b}. If that is meant, bless it and say why."))
    };
    let (a, b) = (&golden.info, &now.info);
    if (&a.of, &a.part) != (&b.of, &b.part) {
        return other("part", format!("{} {}", a.of, a.part), format!("{} {}", b.of, b.part));
    }
    if a.recipe_digest != b.recipe_digest {
        let text = |digest: &Option<String>| digest.clone().unwrap_or_else(|| "none".to_owned());
        return other("recipe digest", text(&a.recipe_digest), text(&b.recipe_digest));
    }
    if a.contracts != b.contracts {
        let only = |x: &[String], y: &[String]| {
            let only: Vec<_> = x.iter().filter(|contract| !y.contains(contract)).cloned().collect();
            if only.is_empty() { "fewer contracts".to_owned() } else { only.join(", ") }
        };
        return other("contracts", only(&a.contracts, &b.contracts), only(&b.contracts, &a.contracts));
    }
    None
}

/// What changed in the environment, when that matters: only where an opaque contract took part.
fn environment(golden: &Golden, run: &Path) -> Result<Option<String>, EvidenceError> {
    let Some(values) = &golden.info.environment else { return Ok(None) };
    let then = EnvFile { schema: contract::SCHEMA, values: values.clone() };
    let changes = crate::evidence::environment_changes(&then, &read_env(run)?);
    let opaque: Vec<_> = golden.info.contracts.iter().filter(|contract| contract.starts_with(OPAQUE)).collect();
    let text = || format!("{opaque:?} in the environment of the golden: {}", changes.join("; "));
    Ok((!changes.is_empty()).then(text))
}

/// A line as name and value: `7 params/w` and `f32 [2] 0123…`.
fn split(line: &str, part: &Part) -> (String, String) {
    let names = if !matches!(part, Part::Kernel(_)) && line.split(' ').nth(1) == Some("scalar") { 3 } else { 2 };
    let words: Vec<_> = line.split(' ').collect();
    let at = names.min(words.len());
    (words[..at].join(" "), words[at..].join(" "))
}

fn first_drift(golden: &Golden, now: &Golden) -> Option<Divergence> {
    let part = &golden.info.part;
    let map = |lines: &[String]| -> BTreeMap<String, String> { lines.iter().map(|line| split(line, part)).collect() };
    let (old, new) = (map(&golden.lines), map(&now.lines));
    let names = golden.lines.iter().chain(&now.lines).map(|line| split(line, part).0);
    let drifted: Vec<String> = names.filter(|name| old.get(name) != new.get(name)).collect();
    let first = drifted.first()?;
    let text = |map: &BTreeMap<String, String>| map.get(first).cloned().unwrap_or_else(|| "absent".to_owned());
    let mut divergence = of_line(first, part);
    divergence.left = text(&old);
    divergence.right = text(&new);
    match part {
        Part::Kernel(_) => {
            let input = |name: &&String| name.ends_with(" in") && of_line(name, part).phase == divergence.phase;
            let moved = drifted.iter().find(input);
            divergence.inputs_equal = Some(moved.is_none());
            divergence.cause = match moved {
                Some(name) => format!("the inputs moved: `{name}` is not that of the golden"),
                None => "equal inputs, another output: the operation changed".to_owned(),
            };
        }
        _ if divergence.name == "all-state" => {
            let step = divergence.step;
            let leaf = drifted.iter().map(|name| of_line(name, part)).find(|other| other.name.contains('/'));
            divergence.cause = match &leaf {
                Some(leaf) => format!(
                    "the state moved at step {step}; the first leaf that differs at step {} is {}",
                    leaf.step, leaf.name
                ),
                None => format!("the state moved at step {step} and came back before the last step"),
            };
            divergence.name = leaf.map_or(divergence.name, |leaf| leaf.name);
        }
        _ => "the value is not that of the golden".clone_into(&mut divergence.cause),
    }
    Some(divergence)
}

fn of_line(name: &str, part: &Part) -> Divergence {
    let (first, second) = name.split_once(' ').unwrap_or((name, ""));
    let kernel = matches!(part, Part::Kernel(_));
    let (case, tensor) = first.split_once('/').unwrap_or((first, ""));
    let scalar = second.strip_prefix("scalar ");
    let (kind, role, name) = match (kernel, second, scalar) {
        (true, "in", _) => (Kind::Input, Some(Role::In), tensor),
        (true, ..) => (Kind::Output, Some(Role::Out), tensor),
        (false, _, Some(scalar)) => (Kind::Scalar, None, scalar),
        (false, ..) => (Kind::State, None, second),
    };
    Divergence {
        kind,
        step: if kernel { 0 } else { first.parse().unwrap_or(0) },
        rank: 0,
        phase: if kernel { case.to_owned() } else { "state".to_owned() },
        node: None,
        module: None,
        op: None,
        contract: None,
        variant: None,
        name: name.to_owned(),
        role,
        index: None,
        dtype: None,
        shape: None,
        inputs_equal: None,
        left: String::new(),
        right: String::new(),
        cause: String::new(),
        producer: None,
        elements: None,
    }
}

/// Adds who made the value, from the run's own record of it.
fn guilty(mut divergence: Divergence, run: &Path) -> Result<Divergence, EvidenceError> {
    let mut run = Run::open(run)?;
    let kernel = matches!(run.file.part, Part::Kernel(_));
    let mut steps = Steps::new(&mut run, kernel);
    while let Some(step) = steps.next_step()? {
        let found = step.items.iter().find(|(key, (_, place))| is_it(&divergence, key, &step.records[*place].1));
        let Some((_, (_, place))) = found else { continue };
        let (rank, record) = &step.records[*place];
        divergence.rank = *rank;
        divergence.step = record.step;
        divergence.phase.clone_from(&record.phase);
        if let contract::record::Body::Tensor(tensor) = &record.body {
            divergence.node = Some(tensor.node.clone());
            divergence.module = Some(tensor.module.clone());
            divergence.op = Some(tensor.op.clone());
            divergence.contract = Some(tensor.contract.clone());
            divergence.variant = Some(tensor.variant.clone());
            divergence.dtype = Some(tensor.dtype.clone());
            divergence.shape = Some(tensor.shape.clone());
        }
        break;
    }
    Ok(divergence)
}

fn is_it(divergence: &Divergence, key: &Key, record: &Record) -> bool {
    match key {
        Key::Tensor(case, tensor, role, count) => {
            let again = if *count == 0 { String::new() } else { format!("#{count}") };
            *case == divergence.phase && format!("{tensor}{again}") == divergence.name && Some(*role) == divergence.role
        }
        key => record.step == divergence.step && key.name() == divergence.name,
    }
}
