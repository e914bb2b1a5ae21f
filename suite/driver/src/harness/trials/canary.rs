//! The canary: a comparison that is corrupted on purpose. A suite whose judge does not notice it proves nothing.

use super::super::specs;
use super::super::trial::{Context, Halt, Judged};
use crate::nonce;
use contract::claim::{Claim, Level};
use contract::record::{Body, Record, Role};
use contract::run::RunFile;
use contract::trace::{Completeness, TraceReader, TraceWriter};
use contract::verdict::Verdict;
use fingerprint::Fingerprint;
use judge::{Mode, Outcome, Pair};
use std::path::{Path, PathBuf};

/// The recipe's plain trace is written again, once as it is and once with one bit of one fingerprint flipped: the
/// first must be equal to it, the second must be NONDETERMINISTIC at exactly that place.
pub fn canary(context: &Context<'_>) -> Result<Judged, Halt> {
    let session = context.session;
    let recipe = &context.entry.recipe;
    let parts = &session.description(recipe)?.parts;
    let smallest = parts.iter().min_by_key(|part| (part.part.level() != Level::Kernel, part.steps));
    let part = smallest.ok_or_else(|| Halt::Infra("the recipe has no part".to_owned()))?;
    context.progress("plain run");
    let trace = session.shared_run(&specs::plain(session, recipe, part, None))?.trace();
    let (same, flipped) = (context.folder.run("same"), context.folder.run("flipped"));
    let chosen = choose(&trace, session.seed)?;
    copy(&trace, &same, None)?;
    copy(&trace, &flipped, Some(chosen.seq))?;
    let compare = |right: &PathBuf| {
        judge::compare::compare(&Pair::new(Claim::Repeat, Mode::Strict, context.name(), &trace, right))
    };
    let missed =
        |message: String| Judged::new(Outcome::new(Verdict::ControlMissed, Claim::Repeat, context.name(), message));
    let (equal, found) = (compare(&same), compare(&flipped));
    if !equal.passed() {
        return Ok(missed(format!("an equal trace was called {}: {}", equal.verdict, equal.message)));
    }
    let place = found.divergence.as_ref().map(|divergence| (divergence.step, divergence.name.as_str()));
    if found.verdict != Verdict::Nondeterministic || place != Some((chosen.step, name(&chosen.body))) {
        let wanted = format!("`{}` at step {}", name(&chosen.body), chosen.step);
        return Ok(missed(format!("one flipped bit of {wanted} was called {} at {place:?}", found.verdict)));
    }
    let mut pass = Outcome::new(Verdict::Pass, Claim::Repeat, context.name(), Verdict::Pass.sentence());
    let (name, step, part) = (name(&chosen.body), chosen.step, &part.part);
    pass.facts.push(format!("one flipped bit in the fingerprint of `{name}` at step {step} of {part} was noticed"));
    pass.counts = found.counts;
    Ok(Judged::new(pass))
}

fn choose(trace: &Path, seed: u64) -> Result<Record, Halt> {
    let records = read(trace)?;
    let fits = |record: &&Record| match &record.body {
        Body::State { .. } => true,
        Body::Tensor(tensor) => tensor.role == Role::Out,
        _ => false,
    };
    let candidates: Vec<_> = records.iter().filter(fits).collect();
    let index = nonce::choose(seed, candidates.len(), 1);
    let index =
        index.first().ok_or_else(|| Halt::Infra("the trace holds no fingerprint that could be flipped".into()))?;
    Ok(candidates[*index].clone())
}

fn read(trace: &Path) -> Result<Vec<Record>, Halt> {
    let named = |error: contract::trace::TraceError| Halt::Infra(error.to_string());
    TraceReader::open(trace, 0, Completeness::Complete).map_err(named)?.records().map_err(named)
}

/// Writes a trace again with another nonce; only rank 0 has records that may be flipped.
fn copy(trace: &Path, to: &Path, flip: Option<u64>) -> Result<(), Halt> {
    specs::copy_folder(trace, to)?;
    let named = |error: std::io::Error| Halt::Infra(format!("cannot write {}: {error}", to.display()));
    let mut file: RunFile = judge::evidence::read_run(trace).map_err(|error| Halt::Infra(error.to_string()))?;
    file.nonce = nonce::draw();
    let text = serde_json::to_vec(&file).expect("a run file is plain data");
    std::fs::write(to.join("run.json"), text).map_err(named)?;
    for path in [contract::trace::records_path(to, 0), contract::trace::index_path(to, 0)] {
        std::fs::remove_file(path).map_err(named)?;
    }
    let mut writer = TraceWriter::create(to, 0).map_err(named)?;
    let reader = TraceReader::open(trace, 0, Completeness::Complete);
    let mut reader = reader.map_err(|error| Halt::Infra(error.to_string()))?;
    for index in 0..reader.entries().len() {
        let frame = reader.frame(index).map_err(|error| Halt::Infra(error.to_string()))?;
        for mut record in frame.records {
            if flip == Some(record.seq) {
                flip_bit(&mut record.body);
            }
            writer.record(record.step, &record.phase, record.body).map_err(named)?;
        }
        writer.end_step(frame.step).map_err(named)?;
    }
    Ok(())
}

fn flip_bit(body: &mut Body) {
    let flip = |fingerprint: &mut Fingerprint| fingerprint.1 ^= 1;
    match body {
        Body::State { fingerprint, .. } => flip(fingerprint),
        Body::Tensor(tensor) => flip(&mut tensor.fingerprint),
        _ => {}
    }
}

fn name(body: &Body) -> &str {
    match body {
        Body::State { leaf, .. } => leaf,
        Body::Tensor(tensor) => &tensor.tensor,
        _ => "",
    }
}
