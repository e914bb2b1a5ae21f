//! Pairs of runs whose bits differ, or not.

use super::Case;
use super::craft::{Craft, fingerprint};
use crate::compare::{Comparer, Mode, Pair};
use crate::divergence::HIDDEN;
use crate::outcome::Outcome;
use contract::claim::Claim;
use contract::record::{Body, Role};
use contract::verdict::Verdict;
use std::io;
use std::path::Path;

const STEPS: u64 = 6;

pub(super) fn strict(comparer: &dyn Comparer, at: &Path, left: &Craft, right: &Craft) -> io::Result<Outcome> {
    judge(comparer, at, left, right, Claim::Repeat, Mode::Strict)
}

fn judge(
    comparer: &dyn Comparer,
    at: &Path,
    left: &Craft,
    right: &Craft,
    claim: Claim,
    mode: Mode,
) -> io::Result<Outcome> {
    let (a, b) = (at.join("left"), at.join("right"));
    left.write(&a)?;
    right.write(&b)?;
    Ok(comparer.pair(&Pair::new(claim, mode, "battery", &a, &b)))
}

/// A run of two ranks and the same run again, bent.
fn bent(comparer: &dyn Comparer, at: &Path, bend: impl Fn(&mut Craft)) -> io::Result<Outcome> {
    let mut right = Craft::training("right", STEPS, 2);
    bend(&mut right);
    strict(comparer, at, &Craft::training("left", STEPS, 2), &right)
}

fn neutral(comparer: &dyn Comparer, at: &Path, bend: impl Fn(&mut Craft)) -> io::Result<Outcome> {
    let mut right = Craft::training("right", STEPS, 1);
    bend(&mut right);
    judge(comparer, at, &Craft::training("left", STEPS, 1), &right, Claim::Neutral, Mode::State)
}

/// Exchanges the values of two leaves in every step: what a sum or an XOR over leaves does not see.
fn exchange(craft: &mut Craft) {
    for rank in 0..craft.ranks.len() {
        for step in 0..STEPS {
            craft.set(rank, step, "params/w", &format!("{step} params/b"));
            craft.set(rank, step, "params/b", &format!("{step} params/w"));
        }
    }
}

fn swap_events(craft: &mut Craft) {
    craft.bend(0, 2, |body| {
        if let Body::Event { detail, .. } = body {
            *detail = if detail == "0" { "1".to_owned() } else { "0".to_owned() };
        }
    });
}

/// The consumer of `h` reads other bits than its producer wrote, in this run only.
fn overwrite(craft: &mut Craft) {
    craft.bend(0, 3, |body| match body {
        Body::Tensor(tensor) if tensor.tensor == "h" && tensor.role == Role::In => {
            tensor.fingerprint = fingerprint("someone else's bits");
        }
        _ => {}
    });
}

fn reshape(craft: &mut Craft) {
    craft.bend(0, 1, |body| match body {
        Body::State { leaf, shape, .. } if leaf == "params/w" => *shape = vec![2, 4],
        _ => {}
    });
}

fn without(craft: &mut Craft, step: usize, name: &str) {
    craft.ranks[0][step].1.retain(|(_, body)| !matches!(body, Body::State { leaf, .. } if leaf == name));
}

fn retry(comparer: &dyn Comparer, at: &Path) -> io::Result<Outcome> {
    let mut right = Craft::training("right", STEPS, 1);
    right.set(0, 4, "y", "other bits");
    let paths = ["left", "right", "left-again", "right-again"].map(|name| at.join(name));
    Craft::training("left", STEPS, 1).write(&paths[0])?;
    right.write(&paths[1])?;
    Craft::training("left-again", STEPS, 1).write(&paths[2])?;
    Craft::training("right-again", STEPS, 1).write(&paths[3])?;
    let pair = Pair::new(Claim::Repeat, Mode::Strict, "battery", &paths[0], &paths[1]);
    Ok(comparer.pair(&Pair { rerun: Some((&paths[2], &paths[3])), ..pair }))
}

#[rustfmt::skip] // One line a case reads as a table.
pub fn all() -> Vec<Case> {
    use Verdict::{Nondeterministic as Differs, NotNeutral, Pass};
    let case = |name, expected, names, run| Case { name, expected, names, run };
    vec![
        case("equal runs are equal", Pass, &[], |c, at| bent(c, at, |_| {})),
        case("equal state is neutral", Pass, &[], |c, at| neutral(c, at, |_| {})),
        case("another plan with equal state is neutral", Pass, &[], |c, at| neutral(c, at, swap_events)),
        case("another environment with equal bits is equal", Pass, &[], |c, at| bent(c, at, |r| { r.environment.insert("rustc".into(), "2".into()); })),
        case("the lowest bit of one loss", Differs, &["step 3", "scalar loss"], |c, at| bent(c, at, |r| r.set(0, 3, "loss", "3ffffffc"))),
        case("only the first step differs", Differs, &["step 0", "params/b"], |c, at| bent(c, at, |r| r.set(0, 0, "params/b", "x"))),
        case("only the last step differs", Differs, &["step 5", "data/cursor"], |c, at| bent(c, at, |r| r.set(0, 5, "data/cursor", "x"))),
        case("one step off every period differs", Differs, &["step 1", "rng/dropout"], |c, at| bent(c, at, |r| r.set(0, 1, "rng/dropout", "x"))),
        case("every step but one differs", Differs, &["step 1"], |c, at| bent(c, at, |r| (1..STEPS).for_each(|step| r.set(0, step, "loss", "3f000000")))),
        case("only the second rank differs", Differs, &["rank 1", "optimizer/m.w"], |c, at| bent(c, at, |r| r.set(1, 2, "optimizer/m.w", "x"))),
        case("two leaves exchange their bits", Differs, &["params/w"], |c, at| bent(c, at, exchange)),
        case("two steps exchange a scalar", Differs, &["step 1"], |c, at| bent(c, at, |r| { r.set(0, 1, "grad_norm", "3f800002"); r.set(0, 2, "grad_norm", "3f800001"); })),
        case("the order of buckets differs", Differs, &["reduce_bucket"], |c, at| bent(c, at, swap_events)),
        case("an output differs for equal inputs", Differs, &["mlp", "equal inputs"], |c, at| bent(c, at, |r| r.set(0, 3, "y", "x"))),
        case("a buffer is overwritten before it is read", Differs, &["embedding", "mlp", "race"], |c, at| bent(c, at, overwrite)),
        case("a shape differs and the bits do not", Differs, &["params/w"], |c, at| bent(c, at, reshape)),
        case("a leaf is recorded on one side only", Differs, &["step 4"], |c, at| bent(c, at, |r| without(r, 4, "params/w"))),
        case("one run is shorter", Differs, &["step 5"], |c, at| bent(c, at, |r| { r.ranks.iter_mut().for_each(|frames| { frames.pop(); }); r.end = Some(STEPS - 1); })),
        case("a difference that a rerun does not show", Differs, &[HIDDEN], retry),
        case("one leaf of a neutral pair differs", NotNeutral, &["step 2", "params/w", "section params"], |c, at| neutral(c, at, |r| r.set(0, 2, "params/w", "x"))),
        case("a leaf of a neutral pair is missing", NotNeutral, &["step 2", "optimizer/m.w", "absent"], |c, at| neutral(c, at, |r| without(r, 2, "optimizer/m.w"))),
        case("leaves of a neutral pair exchange their bits", NotNeutral, &["params/w"], |c, at| neutral(c, at, exchange)),
        case("a neutral pair differs in a shape", NotNeutral, &["params/w"], |c, at| neutral(c, at, reshape)),
        case("a neutral run is shorter", NotNeutral, &["the whole step"], |c, at| neutral(c, at, |r| { r.ranks[0].pop(); r.end = Some(STEPS - 1); })),
        case("bits and environment differ", Differs, &["step 2"], |c, at| bent(c, at, |r| { r.set(0, 2, "params/w", "x"); r.environment.insert("rustc".into(), "2".into()); })),
    ]
}
