//! Tiles of query rows against blocks of keys, by the library's matrix product.
//!
//! A task is one packed row and head of one unit; it works on windows of the widened operands and fills buffers of its
//! own, which are copied to the outputs afterwards. A tile computes the keys that any of its rows sees. Weights that a
//! row does not see are +0 there, which adds nothing as long as all operands are finite. Where they are not, forward
//! tiles have a single row, and so nothing that it does not see; backward sums go over what each row sees. With the
//! arithmetic of tensor cores a tile computes whole steps of keys, and whole blocks where operands are not finite: what
//! is not seen takes part there, by its contract.

mod backward;
mod forward;

pub use backward::{backward, backward_by};
pub use forward::{forward, forward_by};

use super::{Attributes, BLOCK};
use crate::context::Context;
use crate::ops::matmul::{Arithmetic, Scratch};
use crate::tensor::{Dtype, FloatsMut};
use numerics::gemm::{Finish, Start, Tile, View};
use numerics::simd::Level;
use numerics::vectorised;
use std::ops::Range;

/// Query rows of a tile.
const TILE: usize = 64;
/// Positions that one task copies to the output.
const COPIED: usize = 64;

/// One packed row of one unit.
struct Row<'a> {
    attributes: Attributes,
    /// [row tokens, width].
    qkv: View<'a>,
    /// First visible key of each position, from the start of the packed row; above the position when there is none.
    first: Vec<usize>,
    /// Whether a weight of +0 makes a product vanish.
    finite: bool,
    arithmetic: Arithmetic,
}

impl<'a> Row<'a> {
    /// `extra` is what must be finite besides this row of `qkv`.
    fn new(
        arithmetic: Arithmetic,
        attributes: Attributes,
        qkv: &'a [f32],
        starts: &[i32],
        row: usize,
        extra: &[f32],
        level: Level,
    ) -> Self {
        let (tokens, width) = (attributes.row_tokens, attributes.width());
        let values = &qkv[row * tokens * width..][..tokens * width];
        let rows_in_unit = starts.len() / tokens;
        let row_start = (row % rows_in_unit * tokens) as i64;
        let first = starts[row % rows_in_unit * tokens..][..tokens]
            .iter()
            .enumerate()
            .map(|(i, start)| (i64::from(*start) - row_start).clamp(0, i as i64 + 1) as usize)
            .collect();
        let finite = all_finite(level, values) && all_finite(level, extra);
        Self { attributes, qkv: View::row_major(values, tokens, width), first, finite, arithmetic }
    }

    fn tokens(&self) -> usize {
        self.attributes.row_tokens
    }

    /// Keys of the block that starts at `start`.
    fn block(&self, start: usize) -> usize {
        BLOCK.min(self.tokens() - start)
    }

    /// Tiles of query rows from `start` on; `start` is where a block starts.
    fn tiles(&self, start: usize, tile: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let tokens = self.tokens();
        (start..tokens).step_by(tile).map(move |first| first..tokens.min(first + tile))
    }

    /// Keys of the block that starts at `start` which position i sees, counted from there; empty where start ≥ end.
    fn visible(&self, i: usize, start: usize) -> Range<usize> {
        self.first[i].max(start) - start..(i + 1).min(start + BLOCK).max(start) - start
    }

    /// Start and end of [`Self::visible`] for each row of a tile.
    fn visible_of(&self, tile: &Range<usize>, start: usize) -> [(usize, usize); TILE] {
        let mut visible = [(0, 0); TILE];
        for (i, slot) in tile.clone().zip(&mut visible) {
            let keys = self.visible(i, start);
            *slot = (keys.start, keys.end);
        }
        visible
    }

    /// The smallest range of keys of the block that must take part in the products of a tile; `None` where none must.
    fn union(&self, tile: &Range<usize>, start: usize) -> Option<Range<usize>> {
        let visible = tile.clone().map(|i| self.visible(i, start)).filter(|keys| !keys.is_empty());
        let seen = visible.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        match self.arithmetic {
            Arithmetic::Chain => seen,
            Arithmetic::TensorCore(_) if !self.finite => Some(0..self.block(start)),
            Arithmetic::TensorCore(format) => {
                let depth = format.parameters().depth;
                seen.map(|keys| keys.start / depth * depth..keys.end.next_multiple_of(depth).min(self.block(start)))
            }
        }
    }

    /// Whether products may take in what a row does not see: a step of a tensor core always does.
    fn whole_tiles(&self) -> bool {
        self.finite || self.arithmetic != Arithmetic::Chain
    }

    fn head(&self, head: usize) -> View<'a> {
        self.qkv.cols_at(head * self.attributes.head_width, self.attributes.head_width)
    }

    fn k(&self, kv_head: usize) -> View<'a> {
        self.head(self.attributes.query_heads + kv_head)
    }

    fn v(&self, kv_head: usize) -> View<'a> {
        self.head(self.attributes.query_heads + self.attributes.kv_heads + kv_head)
    }
}

/// The matrix product on the level of the call.
struct Products {
    arithmetic: Arithmetic,
    level: Level,
    scratch: Scratch,
}

impl Products {
    fn new(arithmetic: Arithmetic, level: Level) -> Self {
        Self { arithmetic, level, scratch: Scratch::default() }
    }

    fn run(&mut self, a: View<'_>, b: View<'_>, mut tile: Tile<'_>, ends: (Start, Finish)) {
        self.arithmetic.product(self.level, a, b, &mut tile, ends, &mut self.scratch);
    }

    /// Rows of `a` by the transpose of `b`, into columns `keys` of a tile of [`BLOCK`] columns.
    fn scores(&mut self, a: View<'_>, b: View<'_>, keys: &Range<usize>, out: &mut [f32]) {
        let tile = Tile::strided(&mut out[keys.start..], a.rows(), keys.len(), BLOCK);
        self.run(a, b.transpose(), tile, (Start::Zero, Finish::Closed));
    }

    /// a·b.
    fn product(&mut self, a: View<'_>, b: View<'_>, out: &mut [f32]) {
        self.run(a, b, Tile::row_major(out, a.rows(), b.cols()), (Start::Zero, Finish::Closed));
    }

    /// Continues the chains of `out` by a·b.
    fn accumulate(&mut self, a: View<'_>, b: View<'_>, out: &mut [f32]) {
        self.run(a, b, Tile::row_major(out, a.rows(), b.cols()), (Start::Accumulator, Finish::Open));
    }
}

vectorised! {
    fn all_finite<'a>(values: &'a [f32]) -> bool {
        values.iter().fold(true, |finite, value| finite & value.is_finite())
    }

    /// Rounds weights to the dtype of the operands, as a product will read them.
    fn round<'a>(dtype: Dtype, values: &'a mut [f32]) {
        dtype.round(values);
    }
}

/// Fills the interleaved output of `width` channels a position from heads that lie apart: `head(p, n)` holds the
/// channels of head n at position p, counted through all units.
fn interleave<'a>(
    context: &Context,
    out: FloatsMut<'_>,
    (heads, head_width): (usize, usize),
    head: impl Fn(usize, usize) -> &'a [f32] + Sync,
) {
    let width = heads * head_width;
    let positions = out.len() / width;
    context.pool.run(out.chunks(COPIED * width), |task, mut out| {
        for local in 0..COPIED.min(positions - task * COPIED) {
            for n in 0..heads {
                out.store(local * width + n * head_width, head(task * COPIED + local, n));
            }
        }
    });
}
