//! A second look: the pair that differed is made again, every element of the differing step recorded.
//!
//! Verdict runs record little, because observing a run changes its timing. The second look names node, op and kernel;
//! it never changes a verdict.

use super::specs;
use super::trial::{Context, Judged};
use crate::runner::RunSpec;
use contract::description::PartDescription;
use contract::verdict::Verdict;
use judge::Pair;

/// Looks closer at a red pair. `judged` is what the verdict runs showed; `left` and `right` are their specs.
pub fn look(
    context: &Context<'_>,
    part: &PartDescription,
    judged: Judged,
    pair: &Pair<'_>,
    specs: [&RunSpec; 2],
) -> Judged {
    let Some(step) = judged.outcome.divergence.as_ref().map(|divergence| divergence.step) else { return judged };
    if judged.outcome.verdict == Verdict::Invalid {
        return judged;
    }
    context.progress(format!("looking closer at step {step}"));
    let mut traces = Vec::new();
    for (spec, name) in specs.into_iter().zip(["closer-left", "closer-right"]) {
        let spec = specs::own(&specs::observed(spec, step, part), &context.folder.run(name));
        match context.session.runner.run(&spec) {
            Ok(run) => traces.push(run.trace()),
            Err(error) => return with_fact(judged, format!("the closer look failed: {error}")),
        }
    }
    let again = Pair { rerun: Some((&traces[0], &traces[1])), audited: true, ..*pair };
    let refined = judge::compare::compare(&again);
    if refined.verdict != judged.outcome.verdict {
        // The closer look could not be read; what was found stands.
        return with_fact(judged, format!("the closer look was no evidence: {}", refined.message));
    }
    Judged { outcome: refined, ..judged }
}

/// For a golden there is no second run to look at, so the closer pair is this run and one by the reference variants:
/// either they differ, and a variant broke its contract, or they agree, and the contract itself changed.
pub fn look_at_golden(context: &Context<'_>, part: &PartDescription, judged: Judged, plain: &RunSpec) -> Judged {
    let Some(step) = judged.outcome.divergence.as_ref().map(|divergence| divergence.step) else { return judged };
    context.progress(format!("comparing step {step} with the reference variants"));
    let run = |spec: &RunSpec, name: &str| {
        let spec = specs::own(&specs::observed(spec, step, part), &context.folder.run(name));
        context.session.runner.run(&spec)
    };
    let (left, right) = (run(plain, "closer-left"), run(&reference_variants(plain), "closer-right"));
    let (left, right) = match (left, right) {
        (Ok(left), Ok(right)) => (left.trace(), right.trace()),
        (Err(error), _) | (_, Err(error)) => return with_fact(judged, format!("the closer look failed: {error}")),
    };
    let pair = Pair::new(contract::claim::Claim::Backend, judge::Mode::State, context.name(), &left, &right);
    let again = judge::compare::compare(&Pair { rerun: Some((&left, &right)), ..pair });
    let fact = match (again.verdict, &again.divergence) {
        (Verdict::Pass, _) => {
            "the reference variants give the new bits too: the contract's definition changed".to_owned()
        }
        (_, Some(found)) => format!("the reference variants give other bits at {}: {}", found.place(), found.cause),
        (_, None) => format!("the closer look was no evidence: {}", again.message),
    };
    let Judged { mut outcome, kill_points, .. } = judged;
    if let (Some(first), Some(found)) = (&mut outcome.divergence, again.divergence) {
        first.cause = format!("{} ({})", found.cause, found.place());
        first.elements = found.elements;
        first.node = first.node.take().or(found.node);
        first.module = first.module.take().or(found.module);
        first.op = first.op.take().or(found.op);
        first.contract = first.contract.take().or(found.contract);
        first.variant = first.variant.take().or(found.variant);
    }
    with_fact(Judged { outcome, kill_points, pair: Some((left, right)) }, fact)
}

/// The run by the obvious single-threaded loops, which define every contract.
pub fn reference_variants(spec: &RunSpec) -> RunSpec {
    let mut spec = spec.clone();
    spec.set.insert("variants".to_owned(), "reference".into());
    spec.set.insert("threads".to_owned(), 1.into());
    spec
}

fn with_fact(mut judged: Judged, fact: String) -> Judged {
    judged.outcome.facts.push(fact);
    judged
}
