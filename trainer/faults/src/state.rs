//! States that are saved or restored wrongly.

use contract::pointer::Pointer;
use engine::checkpoint::{ExpectedLeaf, Leaf, State, StatePolicy};
use library::tensor::{Dtype, Spec, Tensor};
use std::borrow::Cow;
use std::sync::{Condvar, Mutex, OnceLock};
use std::time::Duration;

/// Changes a state on its way into a save, and one on its way out of it.
#[derive(Debug)]
pub struct Changed {
    pub saved: fn(&mut State),
    pub loaded: fn(&mut State, &[ExpectedLeaf]),
}

impl StatePolicy for Changed {
    fn before_save<'a>(&self, _: u64, state: &'a State) -> Cow<'a, State> {
        let mut other = state.clone();
        (self.saved)(&mut other);
        mutants::activated(u64::from(other != *state));
        Cow::Owned(other)
    }

    fn after_load(&self, expected: &[ExpectedLeaf], state: State) -> State {
        let mut other = state.clone();
        (self.loaded)(&mut other, expected);
        mutants::activated(u64::from(other != state));
        other
    }
}

/// Saves a state as it is.
pub fn as_is(_: &mut State) {}

/// Restores a state as it was saved.
pub fn as_saved(_: &mut State, _: &[ExpectedLeaf]) {}

/// Loses both moments and fills them with their default.
pub fn moments_by_default(state: &mut State, expected: &[ExpectedLeaf]) {
    state.leaves.retain(|leaf| !leaf.name.contains("_moment/"));
    fill_missing(state, expected);
}

/// Fills every leaf that a save lacks with zeros.
pub fn fill_missing(state: &mut State, expected: &[ExpectedLeaf]) {
    for ExpectedLeaf { name, spec } in expected {
        if state.get(name).is_none() {
            state.leaves.push(Leaf { name: name.clone(), tensor: Tensor::zeros(spec.clone()) });
        }
    }
    state.leaves.sort_by(|a, b| a.name.cmp(&b.name));
}

/// Starts the loss scale again.
pub fn scaler_from_start(state: &mut State, _: &[ExpectedLeaf]) {
    for leaf in &mut state.leaves {
        match leaf.name.as_str() {
            "optimizer/scale" => leaf.tensor.view_mut().into_typed::<f32>()[0] = 1024.0,
            "optimizer/good_steps" => leaf.tensor.view_mut().into_typed::<u32>()[0] = 0,
            _ => {}
        }
    }
}

/// Saves the schedule's position as it was before the step.
pub fn schedule_one_behind(state: &mut State) {
    for leaf in state.leaves.iter_mut().filter(|leaf| leaf.name == "optimizer/applied_steps") {
        let steps = &mut leaf.tensor.view_mut().into_typed::<u64>()[0];
        *steps = steps.saturating_sub(1);
    }
}

/// Starts the count of applied steps again, and with it the bias correction.
pub fn steps_from_zero(state: &mut State, _: &[ExpectedLeaf]) {
    for leaf in state.leaves.iter_mut().filter(|leaf| leaf.name == "optimizer/applied_steps") {
        leaf.tensor.view_mut().into_typed::<u64>()[0] = 0;
    }
}

/// Takes nothing but parameters out of a save.
pub fn params_only(state: &mut State, expected: &[ExpectedLeaf]) {
    state.leaves.retain(|leaf| !leaf.name.starts_with("optimizer/"));
    fill_missing(state, expected);
    scaler_from_start(state, expected);
}

/// Restores the second half of every second moment as zeros: an offset that forgets the padding before it.
pub fn tails_lost(state: &mut State, _: &[ExpectedLeaf]) {
    for leaf in state.leaves.iter_mut().filter(|leaf| leaf.name.contains("second_moment/")) {
        let half = leaf.tensor.spec.bytes() / 2;
        leaf.tensor.bytes_mut()[half..].fill(0);
    }
}

/// The tied table, whose file is written without its bytes.
const TIED: &str = "params/embedding.table";

/// Saves the tied table as a header without bytes.
pub fn tied_table_empty(state: &mut State) {
    for leaf in state.leaves.iter_mut().filter(|leaf| leaf.name == TIED) {
        leaf.tensor = Tensor::zeros(Spec::new(leaf.tensor.spec.dtype, &[0]));
    }
}

/// Restores the tied table as zeros.
pub fn tied_table_zero(state: &mut State, expected: &[ExpectedLeaf]) {
    state.leaves.retain(|leaf| leaf.name != TIED);
    fill_missing(state, expected);
}

const PADDING: &str = "optimizer/bucket_padding";

/// Saves the padding behind a bucket: bytes that nobody wrote.
pub fn with_padding(state: &mut State) {
    let stale = std::ptr::from_ref(state).addr() as u64;
    let tensor = Tensor::from_bytes(Spec::new(Dtype::U64, &[1]), &stale.to_le_bytes());
    state.leaves.push(Leaf { name: PADDING.to_owned(), tensor });
    state.leaves.sort_by(|a, b| a.name.cmp(&b.name));
}

/// Takes the padding out again.
pub fn without_padding(state: &mut State, _: &[ExpectedLeaf]) {
    state.leaves.retain(|leaf| leaf.name != PADDING);
}

/// Leaves the averages out of the save.
pub fn without_averages(state: &mut State) {
    state.leaves.retain(|leaf| !leaf.name.starts_with("optimizer/average/"));
}

/// Every later save is the first one again.
#[derive(Debug, Default)]
pub struct FirstAgain(OnceLock<State>);

impl StatePolicy for FirstAgain {
    fn before_save<'a>(&self, _: u64, state: &'a State) -> Cow<'a, State> {
        let first = self.0.get_or_init(|| state.clone());
        mutants::activated(u64::from(first != state));
        Cow::Owned(first.clone())
    }
}

/// An asynchronous save reads parameters and moments where training goes on changing them.
#[derive(Debug, Default)]
pub struct ReadsLive {
    live: Mutex<State>,
    changed: Condvar,
}

/// How long the writer waits for training to change what it reads. After the last step nothing does.
const PATIENCE: Duration = Duration::from_millis(500);

impl StatePolicy for ReadsLive {
    fn step_ended(&self, live: &State) {
        live.clone_into(&mut self.live.lock().expect("no thread panics while it holds the state"));
        self.changed.notify_all();
    }

    fn while_writing<'a>(&self, _: u64, snapshot: &'a State) -> Cow<'a, State> {
        let live = self.live.lock().expect("no thread panics while it holds the state");
        let same = |live: &mut State| live.leaves.is_empty() || live == snapshot;
        let (live, _) = self.changed.wait_timeout_while(live, PATIENCE, same).expect("as above");
        let mut torn = snapshot.clone();
        for leaf in &mut torn.leaves {
            let tensor =
                live.get(&leaf.name).filter(|_| leaf.name.starts_with("params/") || leaf.name.contains("_moment/"));
            leaf.tensor = tensor.unwrap_or(&leaf.tensor).clone();
        }
        mutants::activated(u64::from(torn != *snapshot));
        Cow::Owned(torn)
    }
}

/// Takes no save at all, or the oldest one.
#[derive(Debug)]
pub struct Chooses(pub fn(&[Pointer]) -> Option<Pointer>);

impl StatePolicy for Chooses {
    fn choose(&self, newest: Option<Pointer>, complete: &[Pointer]) -> Option<Pointer> {
        let chosen = (self.0)(complete);
        mutants::activated(u64::from(chosen != newest));
        chosen
    }
}
