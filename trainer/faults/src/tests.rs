use crate::{catalogue, planted, standard};
use contract::request::Part;
use engine::data::{Place, Progress};
use plan::{assemble, recipe};
use std::collections::BTreeSet;

fn everything(policies: &engine::Policies) -> String {
    let engine::Policies { cursor, state, save, step, mutations, .. } = policies;
    let rewrites = mutations.rewrites.len();
    format!("{cursor:?} {state:?} {save:?} {step:?} {:?} {:?} {rewrites}", mutations.variants, mutations.flip)
}

#[test]
fn every_fault_has_other_policies_than_the_standard_ones() {
    let plain = everything(&standard());
    for fault in catalogue() {
        assert_ne!(everything(&(fault.policies)(standard())), plain, "{}", fault.id);
    }
}

#[test]
fn the_catalogue_equals_the_committed_list() {
    let committed = include_str!("../../../suite/mustpass/faults.txt");
    assert_eq!(committed.lines().collect::<Vec<_>>(), crate::gate::listed(), "suite/mustpass/faults.txt");
}

#[test]
fn ids_are_unique() {
    let all = catalogue();
    assert_eq!(all.iter().map(|fault| fault.id).collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn an_unknown_fault_is_refused_with_the_nearest_name() {
    let message = planted("F61").err().expect("there is no such fault");
    assert!(message.contains("`F61`") && message.contains("`F061`"), "{message}");
}

#[test]
fn variants_and_rewrites_match_nodes_of_the_plan() {
    let recipe = recipe::load("dense-ieee").expect("shipped");
    for fault in catalogue() {
        let policies = (fault.policies)(standard());
        assemble(&recipe, &Part::EndToEnd, &policies.registry, &policies.mutations).expect(fault.id);
    }
}

#[test]
fn every_fault_of_the_cursor_changes_the_next_batch() {
    let saved = Place { step: 7, epoch: 1, step_in_epoch: 2, steps_in_epoch: 5 };
    let progress = Progress { consumer: 7, producer: 9, depth: 2 };
    for id in ["F068", "F069", "F076", "L008"] {
        let cursor = planted(id).expect("known").cursor;
        assert_ne!((cursor.save(progress), cursor.resume(saved)), (7, 7), "{id}");
    }
}
