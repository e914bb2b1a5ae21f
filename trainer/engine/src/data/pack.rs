//! Documents to rows.
//!
//! A document longer than a row is cut into pieces of a full row; the rest of it is a shorter
//! piece. Pieces in epoch order are cut into windows of [`WINDOW_PIECES`]; inside a window each
//! piece goes into the first row with room (first fit), and all rows of a window are closed
//! before the next window starts. So no buffer is carried from window to window, nor from epoch
//! to epoch, and packing is a pure function of (piece lengths, order, row length).

use std::ops::Range;

/// Pieces that share a first-fit window.
pub const WINDOW_PIECES: usize = 256;

/// A run of tokens of one document that lies in one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Index of the document in the slice.
    pub document: usize,
    /// Tokens of that document, its separator included.
    pub tokens: Range<usize>,
}

/// The pieces of one row, in row order; they fill it from position 0 without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowPlan {
    pub pieces: Vec<Piece>,
    used: usize,
}

impl RowPlan {
    /// Tokens that are not padding.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.used
    }

    /// What attention costs for this row: the sum of len² over its pieces.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.pieces.iter().map(|piece| (piece.tokens.len() as u64).pow(2)).sum()
    }
}

/// Packs documents, given as (index, length in tokens) in epoch order, into rows.
#[must_use]
pub fn pack(documents: impl Iterator<Item = (usize, usize)>, row_tokens: usize) -> Vec<RowPlan> {
    let pieces: Vec<Piece> = documents
        .flat_map(|(document, length)| {
            (0..length)
                .step_by(row_tokens)
                .map(move |start| Piece { document, tokens: start..length.min(start + row_tokens) })
        })
        .collect();
    let mut rows = Vec::new();
    for window in pieces.chunks(WINDOW_PIECES) {
        let first_row = rows.len();
        for piece in window {
            place(piece, &mut rows, first_row, row_tokens);
        }
    }
    rows
}

fn place(piece: &Piece, rows: &mut Vec<RowPlan>, first_row: usize, row_tokens: usize) {
    let length = piece.tokens.len();
    let open = rows[first_row..].iter().position(|row| row.used + length <= row_tokens);
    let index = open.map_or(rows.len(), |index| first_row + index);
    if index == rows.len() {
        rows.push(RowPlan::default());
    }
    rows[index].used += length;
    rows[index].pieces.push(piece.clone());
}
