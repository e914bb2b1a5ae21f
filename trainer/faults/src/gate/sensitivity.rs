//! One flipped bit in any output of any kernel of the library, by any variant that plans run, is noticed and named.

use super::{RECIPE, fresh, pool, table};
use crate::standard;
use contract::SCHEMA;
use contract::claim::Claim;
use contract::execution::{Observe, ObserveLevel};
use contract::request::{Part, Request, StorageRequest};
use contract::verdict::Verdict;
use driver::nonce;
use engine::Policies;
use engine::progress::Quiet;
use judge::{Mode, Pair};
use library::registry::Registry;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One flip and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Flip {
    pub room: String,
    pub kernel: String,
    pub variant: String,
    pub output: String,
    pub verdict: String,
    /// Op and tensor of the first divergence.
    pub named: String,
    pub caught: bool,
}

/// A kernel with a variant that runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    room: String,
    kernel: String,
    variant: String,
}

pub fn run(root: &Path, rooms: &[String], jobs: usize) -> Result<bool, String> {
    let folder = fresh(root, "sensitivity")?;
    let targets: Vec<_> =
        targets().into_iter().filter(|(target, _)| rooms.is_empty() || rooms.contains(&target.room)).collect();
    let registered: usize = targets.iter().map(|(_, outputs)| outputs.len()).sum();
    let tried: Result<Vec<Vec<Flip>>, String> = pool(jobs)?.install(|| {
        targets.par_iter().with_max_len(1).map(|(target, outputs)| flips(&folder, target, outputs)).collect()
    });
    let flips: Vec<Flip> = tried?.into_iter().flatten().collect();
    let caught = flips.iter().filter(|flip| flip.caught).count();
    print!("{}", table::flips(&flips));
    println!("caught {caught} of {registered} in the registry");
    table::write(&flips, &folder.with_extension("json"))?;
    Ok(caught == registered && registered > 0)
}

/// Every kernel of the library, with the variants that the two choices of `variants` run, and the names of its outputs.
/// What a recipe uses is no matter: a room's cases are its own.
fn targets() -> Vec<(Target, Vec<&'static str>)> {
    let mut targets = BTreeMap::new();
    for room in Registry::standard().rooms() {
        for kernel in room.kernels() {
            for variant in [kernel.reference(), kernel.fastest()] {
                let (name, variant) = (kernel.name.to_owned(), variant.name.to_owned());
                targets.insert(Target { room: room.name().to_owned(), kernel: name, variant }, kernel.outputs.to_vec());
            }
        }
    }
    targets.into_iter().collect()
}

fn flips(folder: &Path, target: &Target, outputs: &[&'static str]) -> Result<Vec<Flip>, String> {
    let place = folder.join(format!("{}-{}", target.kernel, target.variant));
    let clean = make(&place.join("clean"), target, None)?;
    let mut flips = Vec::with_capacity(outputs.len());
    for (index, output) in outputs.iter().enumerate() {
        let flipped = make(&place.join(output), target, Some(index))?;
        let outcome = judge::compare::compare(&Pair::new(Claim::Repeat, Mode::Strict, "sensitivity", &clean, &flipped));
        let divergence = outcome.divergence.as_ref();
        let op = divergence.and_then(|divergence| divergence.op.clone()).unwrap_or_default();
        let tensor = divergence.map(|divergence| divergence.name.clone()).unwrap_or_default();
        flips.push(Flip {
            room: target.room.clone(),
            kernel: target.kernel.clone(),
            variant: target.variant.clone(),
            output: (*output).to_owned(),
            verdict: outcome.verdict.to_string(),
            caught: outcome.verdict == Verdict::Nondeterministic && op == target.kernel && tensor == *output,
            named: if op.is_empty() { outcome.message } else { format!("{op}.{tensor}") },
        });
    }
    let _kept = std::fs::remove_dir_all(place);
    Ok(flips)
}

fn make(directory: &Path, target: &Target, flip: Option<usize>) -> Result<PathBuf, String> {
    let mut policies: Policies = standard();
    policies.mutations.variants.push((target.kernel.clone(), target.variant.clone()));
    policies.mutations.flip = flip.map(|output| (target.kernel.clone(), output));
    let request = Request {
        schema: SCHEMA,
        recipe: RECIPE.to_owned(),
        part: Part::Kernel(target.room.clone()),
        run_directory: directory.to_owned(),
        checkpoint_directory: None,
        set: BTreeMap::from([("fuse".to_owned(), true.into())]),
        observe: Observe { level: ObserveLevel::Op, steps: None },
        perturbation: None,
        control_socket: None,
        storage: StorageRequest::default(),
        stop_after: None,
        check: false,
        shadow: false,
        nonce: nonce::draw(),
    };
    let named = |error: engine::EngineError| format!("{} {}: {error}", target.kernel, target.variant);
    engine::run::run(&request, false, &policies, &mut Quiet).map_err(named)?;
    Ok(directory.to_owned())
}
