//! The list of trials is the committed one, every promise has a trial, and the goldens are in order.

use super::super::trial::{Context, Halt, Judged};
use crate::catalogue::{difference, entries, gaps, read_list};
use contract::claim::Claim;
use contract::verdict::Verdict;
use judge::Outcome;

pub fn coverage(context: &Context<'_>) -> Result<Judged, Halt> {
    let session = context.session;
    let recipe = &context.entry.recipe;
    let description = session.description(recipe)?;
    let all = entries(description);
    let outcome = |verdict, message: String| Outcome::new(verdict, Claim::Golden, context.name(), message);
    let listed = match read_list(&session.root, recipe) {
        Ok(list) => difference(&list, &all),
        Err(message) => return Ok(Judged::new(outcome(Verdict::CoverageGap, message))),
    };
    let mut found = gaps(description, &all);
    if !listed.is_empty() {
        let lines = listed.lines();
        let more = if lines.len() > 3 { ", …" } else { "" };
        let shown = lines.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        found.insert(0, format!("suite/mustpass/{recipe}.txt is not the list of trials: {shown}{more}"));
    }
    if !found.is_empty() {
        let mut gap = outcome(Verdict::CoverageGap, found[0].clone());
        gap.facts = found;
        return Ok(Judged::new(gap));
    }
    let used = crate::golden::used(description);
    let mut problems = session.golden_problems()?;
    // A golden of another recipe that was never made is that recipe's trouble.
    problems.retain(|problem| used.contains(&problem.file) || problem.sentence.starts_with("orphan"));
    if let Some(first) = problems.first() {
        let mut none = outcome(Verdict::NoGolden, format!("golden/{}: {}", first.file, first.sentence));
        none.facts = problems.iter().map(|problem| format!("{}: {}", problem.file, problem.sentence)).collect();
        return Ok(Judged::new(none));
    }
    let mut pass = outcome(Verdict::Pass, Verdict::Pass.sentence().to_owned());
    pass.counts.items = all.len() as u64;
    pass.facts.push(format!("{} trials are listed and committed; {} goldens are in the ledger", all.len(), used.len()));
    Ok(Judged::new(pass))
}
