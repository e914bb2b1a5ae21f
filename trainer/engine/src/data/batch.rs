//! Rows as a model reads them, and the batch of one step.
//!
//! A step takes the next `rows_per_step` rows of its epoch; a short last step is filled with
//! rows of padding. The rows of a step are sorted by (cost descending, row id ascending), dealt
//! to the leaves in a snake (0, 1, …, L−1, L−1, …, 1, 0, 0, …), and ordered by row id inside
//! each leaf. Ranks play no part.

use super::pack::RowPlan;

/// One packed row of S tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Index of the row in its epoch. Filling rows go on after the last packed row.
    pub id: u64,
    /// Sum of len² over the documents of the row.
    pub cost: u64,
    /// Token ids, `[S]`.
    pub tokens: Vec<u32>,
    /// Id of the next token of the same document, `[S]`; the padding id where there is none.
    pub targets: Vec<u32>,
    /// Position in this row at which the document of each position starts, `[S]`. Padding
    /// positions are documents of one token.
    pub doc_start: Vec<i32>,
    /// True where `targets` holds a target, `[S]`. False on the last token of a document and
    /// on padding.
    pub loss_mask: Vec<bool>,
    /// Positions that are not padding; they come first.
    pub token_count: u64,
}

/// The rows of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Data step, counted from 0 over all epochs.
    pub step: u64,
    /// Epoch of every row in it.
    pub epoch: u64,
    /// `rows_per_step` rows, leaf after leaf: leaf `l` owns rows `l·G/L .. (l+1)·G/L`.
    pub rows: Vec<Row>,
    /// N, the number of targets in all rows: an integer known before the backward pass.
    pub target_count: u64,
    /// Tokens that are not padding.
    pub token_count: u64,
    /// BLAKE3 of row ids, token ids, targets, document starts and loss masks in row order, as hex.
    pub digest: String,
}

/// Builds the row of `plan`; `tokens_of` gives the tokens of a document.
pub(super) fn build_row<'a>(
    id: u64,
    plan: &RowPlan,
    row_tokens: usize,
    pad: u32,
    tokens_of: impl Fn(usize) -> &'a [u32],
) -> Row {
    let mut row = padding_row(id, row_tokens, pad);
    row.cost = plan.cost();
    row.token_count = plan.token_count() as u64;
    let mut start = 0;
    for piece in &plan.pieces {
        let tokens = &tokens_of(piece.document)[piece.tokens.clone()];
        let end = start + tokens.len();
        row.tokens[start..end].copy_from_slice(tokens);
        row.targets[start..end - 1].copy_from_slice(&tokens[1..]);
        row.loss_mask[start..end - 1].fill(true);
        row.doc_start[start..end].fill(position(start));
        start = end;
    }
    row
}

/// A row without documents.
pub(super) fn padding_row(id: u64, row_tokens: usize, pad: u32) -> Row {
    Row {
        id,
        cost: 0,
        tokens: vec![pad; row_tokens],
        targets: vec![pad; row_tokens],
        doc_start: (0..row_tokens).map(position).collect(),
        loss_mask: vec![false; row_tokens],
        token_count: 0,
    }
}

fn position(index: usize) -> i32 {
    i32::try_from(index).expect("a row has fewer than 2^31 tokens, checked by the specification")
}

/// Deals rows to `leaves` and returns them leaf after leaf. `rows.len()` is a multiple of
/// `leaves`, so every leaf gets equally many.
pub(super) fn deal(mut rows: Vec<Row>, leaves: usize) -> Vec<Row> {
    rows.sort_by_key(|row| (std::cmp::Reverse(row.cost), row.id));
    let mut dealt: Vec<(usize, Row)> = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| {
            let (round, place) = (index / leaves, index % leaves);
            let leaf = if round.is_multiple_of(2) { place } else { leaves - 1 - place };
            (leaf, row)
        })
        .collect();
    dealt.sort_by_key(|(leaf, row)| (*leaf, row.id));
    dealt.into_iter().map(|(_, row)| row).collect()
}

/// Counts and digests dealt rows.
pub(super) fn finish(step: u64, epoch: u64, rows: Vec<Row>) -> Batch {
    let targets = |row: &Row| row.loss_mask.iter().filter(|&&counted| counted).count() as u64;
    Batch {
        step,
        epoch,
        target_count: rows.iter().map(targets).sum(),
        token_count: rows.iter().map(|row| row.token_count).sum(),
        digest: digest(&rows),
        rows,
    }
}

/// BLAKE3 over what a model reads of `rows`, in their order.
fn digest(rows: &[Row]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"batch.v1");
    for row in rows {
        hasher.update(&row.id.to_le_bytes());
        let mut words = Vec::with_capacity(row.tokens.len() * 12);
        words.extend(row.tokens.iter().flat_map(|word| word.to_le_bytes()));
        words.extend(row.targets.iter().flat_map(|word| word.to_le_bytes()));
        words.extend(row.doc_start.iter().flat_map(|word| word.to_le_bytes()));
        hasher.update(&words);
        hasher.update(&row.loss_mask.iter().map(|&bit| u8::from(bit)).collect::<Vec<_>>());
    }
    hasher.finalize().to_hex().to_string()
}
