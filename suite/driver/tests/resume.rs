//! The toy trainer killed at every point and resumed, and toys that cannot bear it.

mod common;

use common::{broken, folder, spec, toy};
use contract::claim::Claim;
use contract::control::Point;
use contract::verdict::Verdict;
use driver::control::Conduct;
use driver::kill::walk::advanced;
use driver::kill::{Chain, Listing, Place, Segment, Target, WalkOutput, list_points, random_kills, walk};
use driver::runner::Runner;
use judge::Outcome;
use judge::compare::{Comparer, Exact, Mode, Pair};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The trace of a run that was never killed, and what the listing runs announced.
fn prepare(runner: &Runner, folder: &Path) -> (PathBuf, Listing) {
    let plain = runner.run(&spec(&folder.join("plain"))).expect("the toy trains").trace();
    let listing = Listing::make(runner, &spec(folder), folder).expect("the toy trains with a socket");
    (plain, listing)
}

fn walk_chain(runner: &Runner, folder: &Path, chain: &Chain) -> WalkOutput {
    walk(runner, &spec(folder), chain, &folder.join(chain.name.replace(' ', "-")))
}

fn passes(output: &WalkOutput, plain: &Path) {
    let outcome = output.judge(&output.name, plain);
    let counts = output.counts();
    assert_eq!(outcome.verdict, Verdict::Pass, "{outcome:?}");
    assert_eq!((counts.listed, counts.listed), (counts.killed, counts.resumed));
    assert!(counts.listed > 0);
}

fn chain_named(listing: &Listing, name: &str) -> Chain {
    listing.chains(1).into_iter().find(|chain| chain.name == name).expect("the chain is listed")
}

#[test]
fn a_run_that_is_listened_to_equals_one_that_is_not() {
    let folder = folder();
    let (plain, listing) = prepare(&toy(), folder.path());
    assert_eq!(listing.missing_phases(&toy().describe("toy").unwrap().phases), Vec::<String>::new());
    for run in [&listing.synchronous, &listing.asynchronous] {
        let trace = run.trace();
        let outcome = Exact.pair(&Pair::new(Claim::Neutral, Mode::Strict, "toy", &plain, &trace));
        assert_eq!(outcome.verdict, Verdict::Pass, "{outcome:?}");
    }
}

#[test]
fn killed_at_every_step_and_phase_the_toy_resumes() {
    let folder = folder();
    let (plain, listing) = prepare(&toy(), folder.path());
    let chains = listing.chains(2);
    assert_eq!(chains.len(), 4);
    for chain in &chains[..2] {
        passes(&walk_chain(&toy(), folder.path(), chain), &plain);
    }
    let targets: Vec<_> = chains[..2].iter().flat_map(|chain| &chain.targets).collect();
    let at = |wanted: Point| targets.iter().any(|target| target.place == Place::At(wanted.clone()));
    assert!((0..10).all(|step| at(Point::StepEnd { step })));
    let phase = |name: &str| (0..10).any(|step| at(Point::Phase { step, phase: name.into() }));
    assert!(["data", "forward", "optimizer"].into_iter().all(phase));
    assert!(targets.iter().any(|target| target.place == Place::Loaded));
}

#[test]
fn killed_at_every_operation_of_a_save_the_toy_resumes() {
    let folder = folder();
    let (plain, listing) = prepare(&toy(), folder.path());
    let chain = chain_named(&listing, "save");
    assert!(chain.targets.len() >= 13, "{:?}", chain.targets);
    passes(&walk_chain(&toy(), folder.path(), &chain), &plain);
}

#[test]
fn killed_during_asynchronous_saves_while_training_advances_the_toy_resumes() {
    let folder = folder();
    let (plain, listing) = prepare(&toy(), folder.path());
    let output = walk_chain(&toy(), folder.path(), &chain_named(&listing, "async-save"));
    passes(&output, &plain);
    let killed_saves = output.segments.iter().filter_map(|segment| match &segment.run.killed_at {
        Some(Point::Storage { save, asynchronous: true, .. }) => Some((segment, *save)),
        _ => None,
    });
    let during: Vec<_> = killed_saves.map(|(segment, save)| advanced(&segment.run.announcements, save)).collect();
    assert!(during.len() >= 13 && during.iter().all(|points| *points > 0), "{during:?}");
}

#[test]
fn killed_at_random_times_the_toy_resumes() {
    let folder = folder();
    let plain = toy().run(&spec(&folder.path().join("plain"))).unwrap();
    let mut base = spec(folder.path());
    base.set.insert("checkpoint.every".into(), 1.into());
    let output = random_kills(&toy(), &base, 7, 8, plain.wall_seconds, &folder.path().join("random"));
    passes(&output, &plain.trace());
    let runs = output.segments.len();
    assert!((2..=33).contains(&runs), "{runs} runs");
}

#[test]
fn a_run_that_is_killed_before_it_loads_shows_nothing_and_is_passed_over() {
    let folder = folder();
    let plain = toy().run(&spec(&folder.path().join("plain"))).unwrap();
    let listing = list_points(&toy(), &spec(folder.path()), false, &folder.path().join("listing")).unwrap();
    let mut output = walk_chain(
        &toy(),
        folder.path(),
        &Chain {
            name: "one".into(),
            targets: vec![Target { rank: 0, place: Place::At(Point::StepEnd { step: 5 }) }],
            set: driver::kill::points::save_every_step(false),
        },
    );
    let asleep = broken(
        &folder,
        "def main(command, argument=None):\n",
        "def main(command, argument=None):\n    time.sleep(600)\n",
    );
    let early = Conduct::KillAfter(Duration::from_millis(5));
    let run = asleep.attempt(&spec(&folder.path().join("early")), early).unwrap();
    let target = Target { rank: 0, place: Place::Time(5000) };
    let mut stillborn = Segment::new(Some(target), 0, run);
    assert!(stillborn.stillborn, "{stillborn:?}");
    stillborn.run.latest_before = listing.latest_after.clone();
    output.listed.push(stillborn.target.clone().unwrap());
    output.segments.insert(1, stillborn);
    passes(&output, &plain.trace());
}

#[test]
fn single_points_are_walked_to_the_end() {
    let folder = folder();
    let (plain, listing) = prepare(&toy(), folder.path());
    let chains = listing.to_the_end(3, 4);
    assert_eq!(chains.len(), 4);
    for chain in &chains {
        passes(&walk_chain(&toy(), folder.path(), chain), &plain);
    }
}

fn judged(runner: &Runner, folder: &Path) -> (Listing, Chain, WalkOutput, Outcome, PathBuf) {
    let (plain, listing) = prepare(runner, folder);
    let chain = chain_named(&listing, "steps-0");
    let output = walk_chain(runner, folder, &chain);
    let outcome = output.judge("toy", &plain);
    (listing, chain, output, outcome, plain)
}

#[test]
fn a_toy_that_does_not_save_its_momentum_is_caught_and_the_point_is_named_alone() {
    let folder = folder();
    let runner =
        broken(&folder, "step + 1, json.dumps(state))", "step + 1, json.dumps({**state, \"m\": [0.0] * WIDTH}))");
    let (_, chain, output, outcome, plain) = judged(&runner, folder.path());
    assert_eq!(outcome.verdict, Verdict::ResumeBreak, "{outcome:?}");
    assert!(outcome.message.contains("optimizer/momentum"), "{}", outcome.message);
    let suspects = output.suspects(&outcome);
    let alone = walk_chain(&runner, folder.path(), &chain.alone(&suspects[0]));
    assert_eq!(alone.counts().killed, 1);
    assert_eq!(alone.judge("alone", &plain).verdict, Verdict::ResumeBreak);
}

#[test]
fn a_toy_that_starts_over_instead_of_loading_is_caught_by_its_evidence() {
    let folder = folder();
    let runner = broken(&folder, "    if resume:\n", "    if False:\n");
    let (_, _, output, outcome, _) = judged(&runner, folder.path());
    assert_eq!(outcome.verdict, Verdict::ResumeBreak, "{outcome:?}");
    let counts = output.counts();
    assert!(counts.resumed < counts.killed, "{counts:?}");
}

#[test]
fn a_toy_that_cannot_load_what_a_kill_left_breaks_the_walk_there() {
    let folder = folder();
    // Without a rename the checkpoint is written in place, and a kill leaves half of it under the final name.
    let runner = broken(
        &folder,
        "os.path.join(self.root, \"partial\"), os.path.join(self.root, name)\n",
        "os.path.join(self.root, \"partial\"), os.path.join(self.root, name)\n        if step > 1: open(os.path.join(self.root, f\"step-{step - 1}\", \"state.json\"), \"w\").write(\"{\")\n",
    );
    let (plain, listing) = prepare(&runner, folder.path());
    let output = walk_chain(&runner, folder.path(), &chain_named(&listing, "save"));
    let outcome = output.judge("toy", &plain);
    assert_eq!(outcome.verdict, Verdict::ResumeBreak, "{outcome:?}");
    assert!(outcome.message.contains("after the kill at `save mkdir partial`"), "{}", outcome.message);
    assert_eq!(output.suspects(&outcome).len(), 1);
}

#[test]
fn a_target_that_no_run_comes_to_is_missed_and_red() {
    let folder = folder();
    let plain = toy().run(&spec(&folder.path().join("plain"))).unwrap().trace();
    let listing = list_points(&toy(), &spec(folder.path()), false, &folder.path().join("listing")).unwrap();
    let chain = Chain {
        name: "beyond".into(),
        targets: [3, 99].map(|step| Target { rank: 0, place: Place::At(Point::StepEnd { step }) }).into(),
        set: driver::kill::points::save_every_step(false),
    };
    let output = walk_chain(&toy(), folder.path(), &chain);
    assert!(listing.committed() == Some(10) && output.missed == chain.targets[1..]);
    let outcome = output.judge("toy", &plain);
    assert_eq!(outcome.verdict, Verdict::ResumeBreak, "{outcome:?}");
}
