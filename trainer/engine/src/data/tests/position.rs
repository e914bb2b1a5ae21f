use super::{dataset, spec};
use crate::data::{
    CursorPolicy, DataError, DataSpec, DataState, Dataset, DocumentSlice, ExactCursor, Place, Progress, STEP_LIMIT,
};

#[test]
fn a_saved_state_survives_json_and_verifies_at_every_step() {
    let data = dataset();
    for step in 0..20 {
        let state = data.state(step).expect("in range");
        let json = serde_json::to_string(&state).expect("renders");
        let read: DataState = serde_json::from_str(&json).expect("parses");
        assert_eq!(read, state);
        // A fresh data set, as after a restart.
        assert_eq!(dataset().verify(&read), Ok(()));
    }
}

fn differing_field(result: Result<(), DataError>) -> &'static str {
    match result {
        Err(DataError::State { field, .. }) => field,
        other => panic!("expected a difference of state, found {other:?}"),
    }
}

type Alteration = (&'static str, fn(&mut DataState));

#[test]
fn each_altered_field_of_a_state_is_named() {
    let data = dataset();
    let good = data.state(9).expect("in range");
    let alter: [Alteration; 6] = [
        ("dataset_digest", |state| state.dataset_digest.push('0')),
        ("tokenizer_digest", |state| state.tokenizer_digest.push('0')),
        ("packer_digest", |state| state.packer_digest.push('0')),
        ("epoch", |state| state.epoch += 1),
        ("next_batch_digest", |state| state.step += 1),
        ("next_batch_digest", |state| state.next_batch_digest.push('0')),
    ];
    let epochs = [9, 10].map(|step| data.place(step).expect("in range").epoch);
    assert_eq!(epochs[0], epochs[1], "step + 1 must stay in the epoch");
    for (field, change) in alter {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(differing_field(data.verify(&bad)), field);
    }
    let beyond = DataState { step: STEP_LIMIT, ..good };
    let (step, limit) = (STEP_LIMIT, STEP_LIMIT);
    assert_eq!(data.verify(&beyond), Err(DataError::StepOutOfRange { step, limit }));
}

#[test]
fn a_state_of_another_recipe_is_refused() {
    let state = dataset().state(3).expect("in range");
    let slice = DocumentSlice { first: 41, ..spec().documents };
    let others = [
        (DataSpec { documents: slice, ..spec() }, "dataset_digest"),
        (DataSpec { corpus: "devil".into(), ..spec() }, "dataset_digest"),
        (DataSpec { seed: 8, ..spec() }, "packer_digest"),
        (DataSpec { row_tokens: 384, ..spec() }, "packer_digest"),
        (DataSpec { rows_per_step: 16, ..spec() }, "packer_digest"),
        (DataSpec { leaves: 2, ..spec() }, "packer_digest"),
    ];
    for (other, field) in others {
        let other = Dataset::open(&other).expect("opens");
        assert_eq!(differing_field(other.verify(&state)), field);
    }
}

#[test]
fn places_count_through_the_epochs_without_a_gap() {
    let data = dataset();
    let mut expected = (0, 0);
    for step in 0..40 {
        let place = data.place(step).expect("in range");
        assert_eq!((place.epoch, place.step_in_epoch), expected);
        assert_eq!(place.steps_in_epoch, data.steps_in_epoch(place.epoch));
        let last = place.step_in_epoch + 1 == place.steps_in_epoch;
        expected = if last { (expected.0 + 1, 0) } else { (expected.0, expected.1 + 1) };
    }
}

/// The three wrong cursors that the policy must be able to express.
#[derive(Debug)]
enum Wrong {
    ProducerSaved,
    EpochLost,
    RestDropped,
}

impl CursorPolicy for Wrong {
    fn save(&self, progress: Progress) -> u64 {
        match self {
            Self::ProducerSaved => progress.consumer + progress.depth,
            _ => ExactCursor.save(progress),
        }
    }

    fn resume(&self, saved: Place) -> u64 {
        match self {
            Self::EpochLost => saved.step_in_epoch,
            Self::RestDropped => saved.step - saved.step_in_epoch + saved.steps_in_epoch,
            Self::ProducerSaved => saved.step,
        }
    }
}

fn resumed_digest(data: &Dataset, policy: &dyn CursorPolicy, consumer: u64) -> String {
    let (producer, depth) = (consumer + 2, 2);
    let saved = policy.save(Progress { consumer, producer, depth });
    let start = policy.resume(data.place(saved).expect("in range"));
    data.batch(start).expect("in range").digest
}

#[test]
fn the_exact_cursor_resumes_with_the_next_batch_and_wrong_cursors_do_not() {
    let data = dataset();
    let steps = data.steps_in_epoch(0);
    let middle_of_second_epoch = steps + 2;
    let expected = data.batch(middle_of_second_epoch).expect("in range").digest;
    assert_eq!(resumed_digest(&data, &ExactCursor, middle_of_second_epoch), expected);
    for wrong in [Wrong::ProducerSaved, Wrong::EpochLost, Wrong::RestDropped] {
        let found = resumed_digest(&data, &wrong, middle_of_second_epoch);
        assert_ne!(found, expected, "{wrong:?}");
    }
}
