//! Runs that are no evidence, goldens, and planted faults that are dead or alive.

use super::Case;
use super::cases::strict;
use super::craft::Craft;
use crate::compare::Comparer;
use crate::golden::Golden;
use crate::outcome::Outcome;
use contract::claim::Claim;
use contract::record::Body;
use contract::trace::{index_path, records_path};
use contract::verdict::Verdict;
use std::fs;
use std::io;
use std::path::Path;

const STEPS: u64 = 4;

/// Two equal runs, both bent in the same way, so that a comparer which only compares finds nothing.
fn both(comparer: &dyn Comparer, at: &Path, bend: impl Fn(&mut Craft)) -> io::Result<Outcome> {
    let mut runs = [Craft::training("left", STEPS, 1), Craft::training("right", STEPS, 1)];
    runs.iter_mut().for_each(bend);
    strict(comparer, at, &runs[0], &runs[1])
}

/// Two runs of which the second is bent so that it is no partner of the first.
fn partner(comparer: &dyn Comparer, at: &Path, bend: impl Fn(&mut Craft)) -> io::Result<Outcome> {
    let mut right = Craft::training("right", STEPS, 1);
    bend(&mut right);
    strict(comparer, at, &Craft::training("left", STEPS, 1), &right)
}

/// Two equal runs, with something done to the files of both before they are judged.
fn spoiled(comparer: &dyn Comparer, at: &Path, ranks: u32, spoil: fn(&Path) -> io::Result<()>) -> io::Result<Outcome> {
    struct Spoil<'a>(&'a dyn Comparer, fn(&Path) -> io::Result<()>);
    impl Comparer for Spoil<'_> {
        fn pair(&self, pair: &crate::compare::Pair<'_>) -> Outcome {
            self.1(pair.left).and_then(|()| self.1(pair.right)).expect("the crafted files can be changed");
            self.0.pair(pair)
        }
    }
    let (left, right) = (Craft::training("left", STEPS, ranks), Craft::training("right", STEPS, ranks));
    strict(&Spoil(comparer, spoil), at, &left, &right)
}

fn constant(craft: &mut Craft, only: &str) {
    for step in 0..STEPS {
        craft.bend(0, step, |body| match body {
            Body::State { leaf, fingerprint, .. } if leaf.starts_with(only) => {
                *fingerprint = super::craft::fingerprint(leaf);
            }
            _ => {}
        });
    }
}

/// The golden of a kernel run, and the judgement of the same run bent.
fn golden(
    comparer: &dyn Comparer,
    at: &Path,
    both: impl Fn(&mut Craft),
    bend: impl Fn(&mut Craft),
) -> io::Result<Outcome> {
    let mut runs = [Craft::kernel("then"), Craft::kernel("now")];
    runs.iter_mut().for_each(both);
    bend(&mut runs[1]);
    let (then, now) = (at.join("then"), at.join("now"));
    runs[0].write(&then)?;
    runs[1].write(&now)?;
    let golden = Golden::from_trace(&then, &[]).map_err(io::Error::other)?;
    Ok(comparer.golden(&golden, "battery", &now, &[]))
}

fn opaque(craft: &mut Craft) {
    craft.environment.insert("library".to_owned(), "1".to_owned());
    for step in 0..3 {
        craft.bend(0, step, |body| {
            if let Body::Tensor(tensor) = body {
                "opaque.blas".clone_into(&mut tensor.contract);
            }
        });
    }
}

fn other_library(craft: &mut Craft) {
    craft.environment.insert("library".to_owned(), "2".to_owned());
}

fn control(comparer: &dyn Comparer, at: &Path, activations: u64, bend: impl Fn(&mut Craft)) -> io::Result<Outcome> {
    let mut planted = Craft::training("planted", STEPS, 1);
    planted.run.binary_digest = "mutant".to_owned();
    bend(&mut planted);
    let (a, b) = (at.join("clean"), at.join("planted"));
    Craft::training("clean", STEPS, 1).write(&a)?;
    planted.write(&b)?;
    Ok(comparer.control(Claim::Resume, "battery", activations, &a, &b))
}

#[rustfmt::skip] // One line a case reads as a table.
pub fn all() -> Vec<Case> {
    use Verdict::{Drift, EnvDrift, Invalid, NoGolden, Pass};
    let case = |name, expected, names, run| Case { name, expected, names, run };
    vec![
        case("a run compared with itself", Invalid, &["nonce"], |c, at| partner(c, at, |r| r.run.nonce = "left".into())),
        case("runs of two recipes", Invalid, &["recipe"], |c, at| partner(c, at, |r| r.run.recipe_digest = "other".into())),
        case("runs of two parts", Invalid, &["part"], |c, at| partner(c, at, |r| r.run.part = contract::request::Part::Module("mlp".into()))),
        case("a repeat by another executable", Invalid, &["executable"], |c, at| partner(c, at, |r| r.run.binary_digest = "other".into())),
        case("a loss that is NaN on both sides", Invalid, &["loss"], |c, at| both(c, at, |r| r.set(0, 2, "loss", "7fc00000"))),
        case("a loss that is infinite on both sides", Invalid, &["loss"], |c, at| both(c, at, |r| r.set(0, 3, "loss", "7f800000"))),
        case("a gradient norm that is never finite", Invalid, &["grad_norm"], |c, at| both(c, at, |r| (0..STEPS).for_each(|step| r.set(0, step, "grad_norm", "ffffffff")))),
        case("a gradient norm that overflows once", Pass, &[], |c, at| both(c, at, |r| r.set(0, 2, "grad_norm", "7f800000"))),
        case("parameters that never change", Invalid, &["nothing trains"], |c, at| both(c, at, |r| constant(r, "params/"))),
        case("logs with nothing but an end", Invalid, &["empty"], |c, at| both(c, at, |r| r.ranks[0].clear())),
        case("logs without an end", Invalid, &["end"], |c, at| both(c, at, |r| r.end = None)),
        case("logs without a byte", Invalid, &["empty"], |c, at| spoiled(c, at, 1, |run| fs::write(records_path(run, 0), "").and_then(|()| fs::write(index_path(run, 0), "")))),
        case("logs that do not exist", Invalid, &["rank 0"], |c, at| spoiled(c, at, 1, |run| fs::remove_file(records_path(run, 0)).and_then(|()| fs::remove_file(index_path(run, 0))))),
        case("a rank without a log", Invalid, &["rank 1"], |c, at| spoiled(c, at, 2, |run| fs::remove_file(records_path(run, 1)).and_then(|()| fs::remove_file(index_path(run, 1))))),
        case("logs cut in the middle", Invalid, &["torn"], |c, at| spoiled(c, at, 1, |run| { let path = records_path(run, 0); let bytes = fs::read(&path)?; fs::write(&path, &bytes[..bytes.len() / 2]) })),
        case("runs without run.json", Invalid, &["run.json"], |c, at| spoiled(c, at, 1, |run| fs::remove_file(run.join("run.json")))),
        case("the golden holds", Pass, &[], |c, at| golden(c, at, |_| {}, |_| {})),
        case("the golden holds in another environment", Pass, &[], |c, at| golden(c, at, |_| {}, other_library)),
        case("an output moved and its inputs did not", Drift, &["rmsnorm", "inputs are those"], |c, at| golden(c, at, |_| {}, |r| r.set(0, 1, "y", "x"))),
        case("an input moved", Drift, &["inputs moved", "gamma"], |c, at| golden(c, at, |_| {}, |r| { r.set(0, 1, "gamma", "x"); r.set(0, 1, "y", "x"); })),
        case("defined bits moved with the environment", Drift, &["rmsnorm"], |c, at| golden(c, at, other_library, |r| { r.environment.insert("library".into(), "3".into()); r.set(0, 1, "y", "x"); })),
        case("opaque bits moved with the environment", EnvDrift, &["library: 1 / 2"], |c, at| golden(c, at, opaque, |r| { other_library(r); r.set(0, 1, "y", "x"); })),
        case("opaque bits moved in one environment", Drift, &[], |c, at| golden(c, at, opaque, |r| r.set(0, 1, "y", "x"))),
        case("a golden of other contracts", NoGolden, &["opaque.blas"], |c, at| golden(c, at, |_| {}, opaque)),
        case("a planted fault that changes the state", Pass, &["step 2"], |c, at| control(c, at, 3, |r| r.set(0, 2, "params/w", "x"))),
        case("a planted fault that falls on a plateau", Invalid, &["inert"], |c, at| control(c, at, 3, |_| {})),
        case("a planted fault that never ran", Invalid, &["inert"], |c, at| control(c, at, 0, |r| r.set(0, 2, "params/w", "x"))),
    ]
}
