use super::*;
use crate::describe::describe;
use contract::description::{Description, Presence};

fn described(levels: &[&str]) -> Description {
    describe(&recipe("dense-ieee"), &Registry::standard(), levels).expect("a description")
}

fn alternatives(description: &Description) -> Vec<String> {
    let parts = description.parts.iter();
    parts.flat_map(|part| part.alternatives.iter().map(move |other| format!("{} {}", part.part, other.name))).collect()
}

fn presence(description: &Description, name: &str) -> Vec<Presence> {
    let all = description.parts.iter().flat_map(|part| &part.alternatives);
    let mut found: Vec<_> = all.filter(|other| other.name == name).map(|other| other.presence).collect();
    found.dedup();
    found
}

#[test]
fn the_list_of_alternatives_is_the_same_on_every_machine() {
    let narrow = described(&["scalar"]);
    let wide = described(&["scalar", "avx2", "avx512"]);
    assert_eq!(alternatives(&narrow), alternatives(&wide));
    assert_eq!(alternatives(&narrow), alternatives(&described(&["scalar", "avx2"])));
}

#[test]
fn what_a_machine_lacks_and_what_its_plain_run_already_is_are_marked() {
    let middle = described(&["scalar", "avx2"]);
    assert_eq!(presence(&middle, "scalar"), [Presence::Present]);
    assert_eq!(presence(&middle, "avx2"), [Presence::Plain]);
    assert_eq!(presence(&middle, "avx512"), [Presence::Absent]);
}

#[test]
fn only_claims_that_the_recipe_makes_are_described() {
    let mut recipe = recipe("dense-ieee");
    recipe.claims.retain(|claim| claim.name() != "neutral");
    let description = describe(&recipe, &Registry::standard(), &["scalar"]).expect("a description");
    let neutral = |other: &contract::description::Alternative| other.claim.name() == "neutral";
    assert!(!description.parts.iter().flat_map(|part| &part.alternatives).any(neutral));
    assert!(described(&["scalar"]).parts.iter().flat_map(|part| &part.alternatives).any(neutral));
}
