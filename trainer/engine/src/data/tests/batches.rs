use super::{dataset, open_text, spec};
use crate::data::{DataError, DataSpec, Dataset, Row};

#[test]
fn any_step_in_any_order_gives_the_batch_of_the_sequence() {
    let sequential = dataset();
    let batches: Vec<_> = (0..40).map(|step| sequential.batch(step).expect("in range")).collect();
    assert!(batches.last().is_some_and(|batch| batch.epoch >= 2), "two epoch borders are crossed");
    let random = dataset();
    for step in [39, 0, 17, 3, 39, 22, 1, 38, 5, 6, 4] {
        let index = usize::try_from(step).expect("fits");
        assert_eq!(random.batch(step).expect("in range"), batches[index], "step {step}");
    }
}

#[test]
fn batches_of_different_steps_and_seeds_have_different_digests() {
    let data = dataset();
    let other = Dataset::open(&DataSpec { seed: 8, ..spec() }).expect("opens");
    let mut digests: Vec<String> =
        (0..20).flat_map(|step| [&data, &other].map(|data| data.batch(step).expect("in range").digest)).collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 40);
}

#[test]
fn a_short_last_step_is_filled_with_rows_of_padding() {
    let data = dataset();
    let rows = data.row_count(0);
    assert_ne!(rows % 8, 0, "the slice must not fill its last step");
    let steps = data.steps_in_epoch(0);
    let last = data.batch(steps - 1).expect("in range");
    assert_eq!((last.epoch, last.rows.len()), (0, 8));
    let filling: Vec<&Row> = last.rows.iter().filter(|row| row.token_count == 0).collect();
    assert_eq!(filling.len(), 8 - rows % 8);
    for row in filling {
        assert!(row.tokens.iter().all(|&token| token == data.pad_token()));
        assert!(row.loss_mask.iter().all(|&counted| !counted));
        assert_eq!(row.cost, 0);
    }
    assert_eq!(data.batch(steps).expect("in range").epoch, 1);
}

#[test]
fn rows_are_dealt_to_leaves_by_snake_on_cost() {
    let data = dataset();
    let batch = data.batch(1).expect("in range");
    let mut by_cost: Vec<&Row> = batch.rows.iter().collect();
    by_cost.sort_by_key(|row| (u64::MAX - row.cost, row.id));
    let ranks: Vec<Vec<usize>> = batch
        .rows
        .chunks(2)
        .map(|leaf| {
            assert!(leaf[0].id < leaf[1].id, "rows of a leaf are in row order");
            let rank = |row: &Row| by_cost.iter().position(|other| other.id == row.id).expect("there");
            let mut ranks: Vec<usize> = leaf.iter().map(rank).collect();
            ranks.sort_unstable();
            ranks
        })
        .collect();
    assert_eq!(ranks, [[0, 7], [1, 6], [2, 5], [3, 4]]);
}

#[test]
fn a_step_holds_the_next_rows_of_its_epoch_for_any_number_of_leaves() {
    for leaves in [1, 2, 4, 8] {
        let data = Dataset::open(&DataSpec { leaves, ..spec() }).expect("opens");
        for step in 0..20 {
            let batch = data.batch(step).expect("in range");
            let mut ids: Vec<u64> = batch.rows.iter().map(|row| row.id).collect();
            ids.sort_unstable();
            let first = data.place(step).expect("in range").step_in_epoch * 8;
            assert_eq!(ids, (first..first + 8).collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_evaluation_is_a_fixed_number_of_rows() {
    let held_out = DataSpec { corpus: "devil".to_owned(), ..spec() };
    let held_out = Dataset::open(&held_out).expect("opens");
    let batches = held_out.evaluation(10 * 256 - 1).expect("long enough");
    let rows = || batches.iter().flat_map(|batch| &batch.rows);
    assert_eq!((batches.len(), rows().count()), (2, 16));
    assert_eq!(rows().filter(|row| row.token_count > 0).count(), 10);
    assert_eq!(batches, held_out.evaluation(10 * 256).expect("long enough"));
    let available = held_out.row_count(0);
    assert_eq!(held_out.evaluation(1_000_000), Err(DataError::HeldOutTooShort { asked: 3907, available }));
}

#[test]
fn the_unigram_entropy_follows_from_the_counts() {
    // Bytes that no merge joins, and the separator.
    let data = open_text("\u{1}\u{2}");
    assert_eq!(data.token_count(), 3);
    assert_eq!(data.unigram_entropy().to_bits(), metallic::log(3.0).to_bits());
    let data = open_text("\u{1}\u{1}\u{1}");
    assert_eq!(data.token_count(), 4);
    let expected = metallic::log(4.0) - 3.0 * metallic::log(3.0) / 4.0;
    assert_eq!(data.unigram_entropy().to_bits(), expected.to_bits());
}

#[test]
fn the_dataset_digest_changes_with_each_byte_and_each_border() {
    let texts = ["ab\n\nc", "a\n\nbc", "ab\n\nd", "abc", "ab\n\nc\n\nc"];
    let mut digests = texts.map(|text| open_text(text).dataset_digest().to_owned()).to_vec();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), texts.len());
    assert_eq!(open_text("ab\n\n\n").dataset_digest(), open_text("ab").dataset_digest());
}

#[test]
fn the_batch_digest_covers_every_field_that_a_model_reads() {
    let batch = dataset().batch(0).expect("in range");
    let change: [fn(&mut Row); 5] = [
        |row| row.id += 1,
        |row| row.tokens[255] += 1,
        |row| row.targets[255] += 1,
        |row| row.doc_start[255] -= 1,
        |row| row.loss_mask[255] ^= true,
    ];
    let digest = |rows| crate::data::batch::finish(0, 0, rows).digest;
    assert_eq!(digest(batch.rows.clone()), batch.digest);
    for (index, change) in change.into_iter().enumerate() {
        let mut rows = batch.rows.clone();
        change(&mut rows[7]);
        assert_ne!(digest(rows), batch.digest, "change {index} was not seen");
    }
    let mut swapped = batch.rows.clone();
    swapped.swap(0, 1);
    assert_ne!(digest(swapped), batch.digest);
}
