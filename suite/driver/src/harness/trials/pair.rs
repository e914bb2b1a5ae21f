//! Claims that compare two runs, or a run with a golden or a reference.

use super::super::closer;
use super::super::specs;
use super::super::trial::{Context, Halt, Judged};
use contract::claim::Claim;
use contract::description::{Alternative, PartDescription, Presence};
use contract::verdict::Verdict;
use judge::evidence::read_counters;
use judge::golden::{Golden, compare as compare_golden, read_or_outcome};
use judge::{Mode, Outcome, Pair};
use std::path::Path;

/// Two fresh processes give the same bytes, the second one perturbed.
pub fn repeat(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let plain = specs::plain(session, &context.entry.recipe, part, None);
    let perturbed = specs::perturbed(&plain, session.seed);
    context.progress("run 1 of 2");
    let left = session.shared_run(&plain)?.trace();
    context.progress("run 2 of 2, perturbed");
    let right = session.runner.run(&specs::own(&perturbed, &context.folder.run("perturbed")))?.trace();
    context.progress("comparing");
    let pair = Pair::new(Claim::Repeat, Mode::Strict, context.name(), &left, &right);
    let outcome = judge::compare::compare(&pair);
    if !outcome.passed() {
        let judged = Judged::of_pair(outcome, left.clone(), right.clone());
        return Ok(closer::look(context, part, judged, &pair, [&plain, &perturbed]));
    }
    let mut outcome = outcome;
    let counters = &session.description(&context.entry.recipe)?.perturbation_counters;
    if counters.is_empty() {
        outcome.not_compared.push("whether the perturbation reached the run: the trainer names no counter".to_owned());
    } else {
        outcome = with_evidence(outcome, any_differs(context.name(), &left, &right, counters));
    }
    Ok(Judged::of_pair(outcome, left, right))
}

/// The bits are those of the committed golden.
pub fn golden(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let file = Golden::name(&context.entry.recipe, &part.part);
    let golden = match read_or_outcome(&session.golden().join(&file), context.name()) {
        Ok(golden) => golden,
        Err(outcome) => return Ok(Judged::new(*outcome)),
    };
    let problems = judge::ledger::check(&session.golden(), None).map_err(Halt::NoGolden)?;
    if let Some(problem) = problems.iter().find(|problem| Path::new(&problem.file) == file) {
        let message = format!("golden/{}: {}", problem.file, problem.sentence);
        return Ok(Judged::new(Outcome::new(Verdict::NoGolden, Claim::Golden, context.name(), message)));
    }
    let plain = specs::plain(session, &context.entry.recipe, part, None);
    context.progress("run 1 of 1");
    let trace = session.shared_run(&plain)?.trace();
    let judged = Judged::new(compare_golden(&golden, context.name(), &trace, &part.contracts));
    match judged.outcome.verdict {
        Verdict::Drift => Ok(closer::look_at_golden(context, part, judged, &plain)),
        _ => Ok(judged),
    }
}

/// The part made another way has the bits of its plain run.
pub fn alternative(context: &Context<'_>, part: &PartDescription, other: &Alternative) -> Result<Judged, Halt> {
    let session = context.session;
    match other.presence {
        Presence::Present => {}
        Presence::Absent => return Err(Halt::Infra(format!("`{}` was asked for and is absent here", other.name))),
        Presence::Plain => {
            return Err(Halt::Infra(format!("the plain run already is `{}`: there is no pair", other.name)));
        }
    }
    let plain = specs::plain(session, &context.entry.recipe, part, other.steps);
    let changed = specs::alternative(&plain, other);
    context.progress("run 1 of 2");
    let left = session.shared_run(&plain)?.trace();
    context.progress(format!("run 2 of 2, {}", other.name));
    let right = session.runner.run(&specs::own(&changed, &context.folder.run(&other.name)))?.trace();
    context.progress("comparing");
    let evidence = differ(context.name(), other.claim, &left, &right, &other.differs_in);
    let pair = Pair::new(other.claim, Mode::State, context.name(), &left, &right);
    let outcome = judge::compare::compare(&pair);
    if outcome.passed() {
        return Ok(Judged::of_pair(with_evidence(outcome, evidence), left, right));
    }
    let judged = Judged::of_pair(outcome, left.clone(), right.clone());
    Ok(closer::look(context, part, judged, &pair, [&plain, &changed]))
}

/// The result is within the bound of an independent reference.
pub fn reference(context: &Context<'_>, part: &PartDescription) -> Result<Judged, Halt> {
    let session = context.session;
    let mut spec = specs::plain(session, &context.entry.recipe, part, None);
    spec.check = true;
    context.progress("run 1 of 1, with checks");
    let run = session.runner.run(&specs::own(&spec, &context.folder.run("checked")))?;
    Ok(Judged::new(judge::check::check(context.name(), &run.trace())))
}

/// Whether the counters of two runs show that the runs really differ.
fn differ(trial: &str, claim: Claim, left: &Path, right: &Path, names: &[String]) -> Outcome {
    match (read_counters(left), read_counters(right)) {
        (Ok(left), Ok(right)) => judge::counters::pair_differs(claim, trial, &left, &right, names),
        (Err(error), _) | (_, Err(error)) => Outcome::invalid(claim, trial, &error),
    }
}

/// Whether the perturbation reached the run: one counter is enough, since a part without threads has nothing to reorder.
fn any_differs(trial: &str, left: &Path, right: &Path, names: &[String]) -> Outcome {
    let one = |name: &String| differ(trial, Claim::Repeat, left, right, std::slice::from_ref(name));
    let (passed, mut failed): (Vec<_>, Vec<_>) = names.iter().map(one).partition(Outcome::passed);
    let facts = passed.iter().flat_map(|outcome| outcome.facts.clone()).collect();
    match (passed.into_iter().next(), failed.pop()) {
        (Some(first), _) => Outcome { facts, ..first },
        (None, Some(failed)) => failed,
        (None, None) => Outcome::new(Verdict::Invalid, Claim::Repeat, trial, "no counter shows a perturbation"),
    }
}

/// A pass that the evidence supports; otherwise the evidence is the outcome.
fn with_evidence(mut outcome: Outcome, evidence: Outcome) -> Outcome {
    if !evidence.passed() {
        return evidence;
    }
    outcome.facts.extend(evidence.facts);
    outcome
}
