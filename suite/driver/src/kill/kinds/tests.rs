use super::super::points::Operation;
use super::*;

fn chain(places: Vec<Place>) -> Chain {
    let targets = places.into_iter().map(|place| Target { rank: 0, place }).collect();
    Chain { name: "chain".into(), targets, set: BTreeMap::new() }
}

fn operation(name: &str, begun: bool, occurrence: u64) -> Place {
    let operation = Operation { name: name.into(), path: "save/params".into(), begun, occurrence };
    Place::Operation { operation, asynchronous: false, from: 2 }
}

#[test]
fn one_operation_of_each_kind_is_kept_and_the_seed_chooses_it() {
    let writes = (0..20).map(|occurrence| operation("write", true, occurrence));
    let others = [operation("create", true, 0), operation("remove", false, 0), operation("remove", true, 0)];
    let whole = chain(writes.chain(others.clone()).chain([Place::Loaded]).collect());
    let kept = |seed| {
        let mut chain = whole.clone();
        chain.keep_one_of_each_kind(seed);
        chain.targets.into_iter().map(|target| target.place).collect::<Vec<_>>()
    };
    let seeds: Vec<_> = (0..8).map(kept).collect();
    for places in &seeds {
        assert!(matches!(&places[0], Place::Operation { operation, .. } if operation.name == "write"), "{places:?}");
        assert_eq!(places[1..], others, "kinds in the order of the walk, and nothing else");
    }
    assert!(seeds.iter().any(|places| places[0] != seeds[0][0]), "the same write for every seed");
}

#[test]
fn every_step_and_every_phase_is_reached_by_what_is_kept() {
    let phase = |step, phase: &str| Place::At(Point::Phase { step, phase: phase.into() });
    let end = |step| Place::At(Point::StepEnd { step });
    let mut chain = chain(vec![
        phase(0, "data"),
        end(0),
        phase(1, "data"),
        Place::Loaded,
        end(1),
        phase(2, "forward"),
        end(2),
        phase(2, "eval"),
    ]);
    chain.keep_each_step_and_phase();
    let kept: Vec<_> = chain.targets.into_iter().map(|target| target.place).collect();
    assert_eq!(
        kept,
        [phase(0, "data"), end(0), phase(1, "data"), Place::Loaded, phase(2, "forward"), phase(2, "eval")]
    );
}
