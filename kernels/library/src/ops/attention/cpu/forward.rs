//! Online softmax over the blocks of keys, one tile of query rows at a time.

use super::super::{Attributes, BLOCK};
use super::{Products, Row, TILE, interleave, round};
use crate::ops::matmul::{Arithmetic, widened};
use crate::room::Call;
use crate::tensor::Dtype;
use numerics::gemm::View;
use numerics::{format, math, sum, vectorised};
use std::ops::Range;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, Arithmetic::Chain);
}

pub fn forward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let attributes: Attributes = call.attributes();
    let Attributes { query_heads, head_width, row_tokens, .. } = attributes;
    let positions = call.inputs[0].shape()[1];
    let dtype = call.inputs[0].spec.dtype;
    let qkv = widened(call.context, call.inputs[0].floats());
    let starts: &[i32] = call.inputs[1].typed();
    let [o, lse2] = call.outputs else { unreachable!("attention has two outputs") };
    let rows = positions / row_tokens;
    // One chunk for each unit, head and packed row, in this order.
    let lse2: &mut [f32] = lse2.reborrow().into_typed();
    let mut heads = vec![0.0; lse2.len() * head_width];
    let tasks: Vec<_> = heads.chunks_mut(row_tokens * head_width).zip(lse2.chunks_mut(row_tokens)).collect();
    let level = call.context.level;
    call.context.pool.run(tasks, |task, (o, lse2)| {
        let (unit, head, row) = (task / rows / query_heads, task / rows % query_heads, task % rows);
        let starts = &starts[unit * positions..][..positions];
        let row = Row::new(arithmetic, attributes, &qkv, starts, unit * rows + row, &[], level);
        let mut work = Work { products: Products::new(arithmetic, level), tile: vec![0.0; TILE * BLOCK], dtype };
        let rows_of_tile = if row.whole_tiles() { TILE } else { 1 };
        for tile in row.tiles(0, rows_of_tile) {
            let o = &mut o[tile.start * head_width..tile.end * head_width];
            work.tile(&row, head, &tile, o, &mut lse2[tile.clone()]);
        }
    });
    interleave(call.context, o.reborrow().into_floats(), (query_heads, head_width), |position, head| {
        let (unit, position) = (position / positions, position % positions);
        &heads[((unit * query_heads + head) * positions + position) * head_width..][..head_width]
    });
}

/// What a query row carries from block to block.
#[derive(Clone, Copy)]
struct State {
    seen: bool,
    largest: f32,
    mu: f32,
    l: f32,
    alpha: f32,
}

const UNSEEN: State = State { seen: false, largest: 0.0, mu: 0.0, l: 0.0, alpha: 1.0 };

struct Work {
    products: Products,
    /// Scores, then weights: a tile of [`BLOCK`] columns.
    tile: Vec<f32>,
    /// Of the operands, and so of the weights.
    dtype: Dtype,
}

impl Work {
    fn tile(&mut self, row: &Row<'_>, head: usize, tile: &Range<usize>, o: &mut [f32], lse2: &mut [f32]) {
        let (h, rows, c) = (row.attributes.head_width, tile.len(), row.attributes.exponent_scale());
        let kv_head = head / row.attributes.group();
        let q = row.head(head).rows_at(tile.start, rows);
        let mut states = [UNSEEN; TILE];
        o.fill(0.0);
        for start in (0..tile.end).step_by(BLOCK) {
            let Some(keys) = row.union(tile, start) else { continue };
            self.products.scores(q, row.k(kv_head).rows_at(start + keys.start, keys.len()), &keys, &mut self.tile);
            let visible = row.visible_of(tile, start);
            let level = self.products.level;
            let weights = &mut self.tile[..rows * BLOCK];
            soften(level, weights, &visible[..rows], &mut states, c);
            for (state, o) in states.iter().zip(o.chunks_exact_mut(h)) {
                if state.alpha != 1.0 {
                    o.iter_mut().for_each(|o| *o *= state.alpha);
                }
            }
            round(level, self.dtype, weights);
            let p = View::row_major(weights, rows, BLOCK).cols_at(keys.start, keys.len());
            self.products.accumulate(p, row.v(kv_head).rows_at(start + keys.start, keys.len()), o);
        }
        for ((state, o), lse2) in states.iter().zip(o.chunks_exact_mut(h)).zip(lse2) {
            let inverse = 1.0 / state.l;
            *lse2 = f32::NEG_INFINITY;
            if state.seen {
                o.iter_mut().for_each(|o| *o = (*o + 0.0) * inverse);
                *lse2 = format::canonical(math::log(state.l).mul_add(std::f32::consts::LOG2_E, state.mu));
            }
        }
    }
}

vectorised! {
    /// Turns scores into weights, and takes the states of the rows one block further. Columns beyond a row's visible
    /// ones become +0.
    fn soften<'a>(tile: &'a mut [f32], visible: &'a [(usize, usize)], states: &'a mut [State], c: f32) {
        let (rows, _) = tile.as_chunks_mut::<BLOCK>();
        for ((row, &(first, end)), state) in rows.iter_mut().zip(visible).zip(states) {
            state.alpha = 1.0;
            if first >= end {
                row.fill(0.0);
                continue;
            }
            let (first, count) = (first as u32, (end - first) as u32);
            // One unsigned comparison, so that the loops stay free of branches.
            let seen = |column: usize| (column as u32).wrapping_sub(first) < count;
            let mut key = 0;
            for (column, score) in row.iter().enumerate() {
                let candidate = format::order_key(*score);
                key = key.max(if seen(column) { candidate } else { 0 });
            }
            let of_block = format::from_order_key(key);
            let largest = if state.seen { format::max(state.largest, of_block) } else { of_block };
            let mu = largest * c;
            for (column, slot) in row.iter_mut().enumerate() {
                let p = math::exp2_poly5(slot.mul_add(c, -mu));
                *slot = if seen(column) { p } else { 0.0 };
            }
            let s = sum::lanes32(row);
            let alpha = math::exp2_poly5(state.mu - mu);
            *state = if state.seen {
                State { seen: true, largest, mu, l: state.l.mul_add(alpha, s), alpha }
            } else {
                State { seen: true, largest, mu, l: s, alpha: 1.0 }
            };
        }
    }
}
