use super::{dataset, spec};
use crate::data::{Batch, DataSpec, Dataset, Row, WINDOW_PIECES, pack, split_documents};

#[test]
fn first_fit_fills_the_first_row_with_room_and_cuts_long_documents() {
    let lengths = [(5, 100), (2, 60), (9, 300), (1, 28)];
    let rows = pack(lengths.into_iter(), 128);
    let shape: Vec<Vec<(usize, usize)>> =
        rows.iter().map(|row| row.pieces.iter().map(|p| (p.document, p.tokens.len())).collect()).collect();
    assert_eq!(shape, [vec![(5, 100), (1, 28)], vec![(2, 60), (9, 44)], vec![(9, 128)], vec![(9, 128)],]);
    assert_eq!(rows[1].cost(), 60 * 60 + 44 * 44);
}

#[test]
fn a_window_is_closed_before_the_next_one_starts() {
    let full_window = (0..WINDOW_PIECES).map(|document| (document, 100));
    let rows = pack(full_window.chain([(WINDOW_PIECES, 1)]), 128);
    assert_eq!(rows.len(), WINDOW_PIECES + 1);
    assert_eq!(rows[WINDOW_PIECES].pieces.len(), 1);
}

/// The pieces of documents that `rows` hold, sorted.
fn pieces(rows: &[&Row]) -> Vec<Vec<u32>> {
    let mut pieces = Vec::new();
    for row in rows {
        let used = usize::try_from(row.token_count).expect("fits");
        let mut position = 0;
        while position < used {
            let same = |next: &&i32| **next == row.doc_start[position];
            let length = row.doc_start[position..].iter().take_while(same).count();
            pieces.push(row.tokens[position..position + length].to_vec());
            position += length;
        }
    }
    pieces.sort();
    pieces
}

/// What the rows of an epoch must hold: each document once, long ones cut into rows.
fn expected(data: &Dataset) -> Vec<Vec<u32>> {
    let mut pieces: Vec<Vec<u32>> = (0..data.document_count())
        .flat_map(|index| data.document(index).chunks(data.spec().row_tokens))
        .map(<[u32]>::to_vec)
        .collect();
    pieces.sort();
    pieces
}

fn epoch(data: &Dataset, epoch: u64) -> Vec<Batch> {
    let mut step = 0;
    let mut batches = Vec::new();
    loop {
        let batch = data.batch(step).expect("in range");
        if batch.epoch > epoch {
            return batches;
        }
        if batch.epoch == epoch {
            batches.push(batch);
        }
        step += 1;
    }
}

#[test]
fn every_token_appears_exactly_once_in_every_epoch() {
    let data = dataset();
    for number in 0..3 {
        let batches = epoch(&data, number);
        let rows: Vec<&Row> = batches.iter().flat_map(|batch| &batch.rows).collect();
        assert_eq!(pieces(&rows), expected(&data), "epoch {number}");
        let tokens: u64 = batches.iter().map(|batch| batch.token_count).sum();
        assert_eq!(tokens, data.token_count() as u64);
    }
}

#[test]
fn a_missing_row_breaks_the_partition() {
    let data = dataset();
    let batches = epoch(&data, 0);
    let rows: Vec<&Row> = batches.iter().flat_map(|batch| &batch.rows).skip(1).collect();
    assert_ne!(pieces(&rows), expected(&data));
}

/// The first way in which a row lets a document see or predict another one.
fn crossing(row: &Row, end: u32, pad: u32) -> Option<String> {
    let used = usize::try_from(row.token_count).expect("fits");
    for position in 0..row.tokens.len() {
        let start = usize::try_from(row.doc_start[position]).expect("not negative");
        let next_start = row.doc_start.get(position + 1);
        let goes_on = next_start == Some(&row.doc_start[position]);
        let (token, target) = (row.tokens[position], row.targets[position]);
        let counted = row.loss_mask[position];
        if position >= used {
            let plain = token == pad && target == pad && !counted && start == position;
            if !plain {
                return Some(format!("padding {position} is not plain"));
            }
        } else if start > position || row.tokens[start..position].contains(&end) {
            return Some(format!("position {position} sees another document"));
        } else if counted != goes_on {
            return Some(format!("position {position} is masked wrongly"));
        } else if counted && target != row.tokens[position + 1] {
            return Some(format!("position {position} has another target"));
        } else if !counted && target != pad {
            return Some(format!("position {position} has a target of another document"));
        }
    }
    None
}

#[test]
fn a_document_never_sees_or_predicts_another_one() {
    let data = dataset();
    let (end, pad) = (data.end_token(), data.pad_token());
    let mut documents = 0;
    for batch in epoch(&data, 0).iter().chain(&epoch(&data, 1)) {
        let mut targets = 0;
        for row in &batch.rows {
            assert_eq!(crossing(row, end, pad), None, "row {}", row.id);
            let used = usize::try_from(row.token_count).expect("fits");
            documents += row.doc_start[..used].windows(2).filter(|pair| pair[0] != pair[1]).count();
            targets += row.loss_mask.iter().filter(|&&counted| counted).count();
        }
        assert_eq!(batch.target_count, targets as u64);
    }
    assert!(documents > 20, "only {documents} borders were seen");
}

#[test]
fn the_check_for_crossing_documents_sees_every_corrupted_field() {
    let data = dataset();
    let (end, pad) = (data.end_token(), data.pad_token());
    let batches = epoch(&data, 0);
    let row = batches.iter().flat_map(|batch| &batch.rows);
    let row = row
        .clone()
        .find(|row| {
            row.token_count < 256
                && row.doc_start[1..].iter().any(|&start| start > 0 && (start as u64) < row.token_count)
        })
        .expect("a row with two documents and padding");
    let border = row.tokens.iter().position(|&token| token == end).expect("a document ends");
    let last = row.tokens.len() - 1;
    let corrupt: [fn(&mut Row, usize, usize); 5] = [
        |row, border, _| row.doc_start[border + 1..].fill(0),
        |row, border, _| row.loss_mask[border] = true,
        |row, border, _| row.targets[border] = row.tokens[border + 1],
        |row, border, _| row.targets[border - 1] += 1,
        |row, _, last| row.doc_start[last] -= 1,
    ];
    assert_eq!(crossing(row, end, pad), None);
    for (index, change) in corrupt.into_iter().enumerate() {
        let mut bad = row.clone();
        change(&mut bad, border, last);
        assert!(crossing(&bad, end, pad).is_some(), "corruption {index} was not seen");
    }
}

#[test]
fn a_line_without_indent_after_a_blank_line_starts_a_document() {
    let text = "\nfirst\n  body\nstill first\n\n  more\n\n\nsecond\n\n";
    let documents: Vec<&str> = split_documents(text).into_iter().map(|r| &text[r]).collect();
    assert_eq!(documents, ["first\n  body\nstill first\n\n  more", "second"]);
    assert_eq!(split_documents("  indented\n\nnext").len(), 2);
    assert!(split_documents(" \n\n\t\n").is_empty());
}

#[test]
fn a_longer_row_holds_the_same_tokens_in_fewer_rows() {
    let long = DataSpec { row_tokens: 512, ..spec() };
    let long = Dataset::open(&long).expect("opens");
    assert_eq!(long.token_count(), dataset().token_count());
    assert!(long.row_count(0) < dataset().row_count(0));
}
