use super::super::{ExpectedLeaf, Leaf, Saver, State, StatePolicy, save};
use super::{Place, expectations, recipe, small, state};
use contract::pointer::Pointer;
use library::tensor::Tensor;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Fills what a save lacks with zeros, and takes the oldest save.
#[derive(Debug)]
struct Lenient;

impl StatePolicy for Lenient {
    fn choose(&self, newest: Option<Pointer>, complete: &[Pointer]) -> Option<Pointer> {
        complete.first().cloned().or(newest)
    }

    fn after_load(&self, expected: &[ExpectedLeaf], mut state: State) -> State {
        for ExpectedLeaf { name, spec } in expected {
            if state.get(name).is_none() {
                state.leaves.push(Leaf { name: name.clone(), tensor: Tensor::zeros(spec.clone()) });
            }
        }
        state
    }
}

/// Saves the first state again and again.
#[derive(Debug, Default)]
struct Cached(OnceLock<State>);

impl StatePolicy for Cached {
    fn before_save<'a>(&self, _: u64, state: &'a State) -> Cow<'a, State> {
        Cow::Owned(self.0.get_or_init(|| state.clone()).clone())
    }
}

#[test]
fn a_policy_can_fill_a_missing_leaf_and_choose_another_save() {
    let place = Place::new();
    place.save(2);
    place.save(4);
    let mut expected = expectations();
    let mut more = expected.leaves[2].clone();
    more.name = "optimizer/v.embedding".to_owned();
    expected.leaves.push(more.clone());
    super::load(&place.root(), &expected, &super::ExactState).expect_err("a leaf is missing");
    let loaded = super::load(&place.root(), &expected, &Lenient).expect("filled").expect("committed");
    assert_eq!(loaded.pointer.step, 2);
    assert_eq!(loaded.state.get(&more.name), Some(&Tensor::zeros(more.spec)));
}

#[test]
fn a_policy_can_ignore_the_checkpoint() {
    #[derive(Debug)]
    struct Ignore;
    impl StatePolicy for Ignore {
        fn choose(&self, _: Option<Pointer>, _: &[Pointer]) -> Option<Pointer> {
            None
        }
    }
    let place = Place::new();
    place.save(2);
    assert_eq!(super::load(&place.root(), &expectations(), &Ignore).expect("load"), None);
}

#[test]
fn a_policy_can_save_another_state() {
    for asynchronous in [false, true] {
        let place = Place::new();
        let options = super::SaveOptions { asynchronous, ..small() };
        let mut saver = Saver::new(place.storage(), recipe(), options, Arc::new(Cached::default()));
        saver.save(2, &state(2)).expect("save");
        saver.save(4, &state(4)).expect("save");
        saver.finish().expect("finish");
        assert_eq!(place.load().expect("load").expect("committed").state, state(2));
    }
}

#[test]
fn a_policy_can_let_an_older_step_replace_a_newer_one() {
    #[derive(Debug)]
    struct Again;
    impl super::super::SavePolicy for Again {
        fn replaces_newer(&self, _: u64, _: &Pointer) -> bool {
            true
        }
    }
    let place = Place::new();
    place.save(2);
    place.save(4);
    let options = super::SaveOptions { policy: Arc::new(Again), ..small() };
    save(&mut place.storage(), 2, &recipe(), &state(2), &options).expect("save");
    assert_eq!(place.load().expect("load").expect("committed").state, state(2));
}
