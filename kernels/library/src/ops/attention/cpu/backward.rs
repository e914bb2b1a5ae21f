//! Blocks of keys outside, query heads and tiles of query rows inside: the order of the chains of dk and dv.

use super::super::{Attributes, BLOCK};
use super::{Products, Row, TILE, interleave, round};
use crate::ops::matmul::{Arithmetic, widened};
use crate::room::Call;
use crate::tensor::Dtype;
use numerics::gemm::View;
use numerics::{format, math, sum, vectorised};
use std::ops::Range;

pub fn backward(call: &mut Call<'_, '_>) {
    backward_by(call, Arithmetic::Chain);
}

pub fn backward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let attributes: Attributes = call.attributes();
    let Attributes { query_heads, kv_heads, head_width, row_tokens } = attributes;
    let (positions, group) = (call.inputs[0].shape()[1], attributes.group());
    let dtype = call.inputs[0].spec.dtype;
    let [qkv, o, gradient] = [0, 1, 3].map(|input: usize| widened(call.context, call.inputs[input].floats()));
    let lse2 = call.inputs[2].f32();
    let starts: &[i32] = call.inputs[4].typed();
    let rows = positions / row_tokens;
    // For each unit, packed row and kv head: dq of the heads of the group, dk, dv.
    let size = row_tokens * head_width;
    let mut heads = vec![0.0; qkv.len()];
    let level = call.context.level;
    call.context.pool.run(heads.chunks_mut((group + 2) * size).collect(), |task, out| {
        let (at, kv_head) = (task / kv_heads, task % kv_heads);
        let unit = at / rows;
        let width = query_heads * head_width;
        let window = at * row_tokens * width..(at + 1) * row_tokens * width;
        let (o, gradient) = (&o[window.clone()], &gradient[window]);
        let starts = &starts[unit * positions..][..positions];
        let row = Row::new(arithmetic, attributes, &qkv, starts, at, gradient, level);
        let (dq, rest) = out.split_at_mut(group * size);
        let (dk, dv) = rest.split_at_mut(size);
        let mut work = Work::new(Products::new(arithmetic, level), head_width, dtype);
        for local in 0..group {
            let head = kv_head * group + local;
            let lse2 = &lse2[(unit * query_heads + head) * positions + at % rows * row_tokens..][..row_tokens];
            let delta = (0..row_tokens)
                .map(|i| {
                    let channels = i * width + head * head_width..i * width + (head + 1) * head_width;
                    sum::lanes32_products(&gradient[channels.clone()], &o[channels])
                })
                .collect();
            let gradient = View::row_major(gradient, row_tokens, width).cols_at(head * head_width, head_width);
            let head = Head { q: row.head(head), gradient, lse2, delta };
            work.head(&row, kv_head, &head, &mut dq[local * size..][..size], (dk, dv));
        }
        let scale = attributes.gradient_scale();
        dq.iter_mut().for_each(|x| *x *= scale);
        dk.iter_mut().for_each(|x| *x = (*x + 0.0) * scale);
        dv.iter_mut().for_each(|x| *x += 0.0);
    });
    let dqkv = call.outputs[0].reborrow().into_floats();
    interleave(call.context, dqkv, (query_heads + 2 * kv_heads, head_width), |position, head| {
        let (kv_head, slot) = match head.checked_sub(query_heads) {
            None => (head / group, head % group),
            Some(kv) => (kv % kv_heads, group + kv / kv_heads),
        };
        let task = position / row_tokens * kv_heads + kv_head;
        let at = (task * (group + 2) + slot) * row_tokens + position % row_tokens;
        &heads[at * head_width..][..head_width]
    });
}

/// One query head of a packed row.
struct Head<'a> {
    q: View<'a>,
    gradient: View<'a>,
    lse2: &'a [f32],
    delta: Vec<f32>,
}

struct Work {
    products: Products,
    /// Tiles of [`BLOCK`] columns: scores, then P; dP, then dS.
    p: Vec<f32>,
    ds: Vec<f32>,
    /// dq of one tile and block.
    partial: Vec<f32>,
    /// Of the operands, and so of the weights.
    dtype: Dtype,
}

impl Work {
    fn new(products: Products, head_width: usize, dtype: Dtype) -> Self {
        let tile = || vec![0.0; TILE * BLOCK];
        Self { products, p: tile(), ds: tile(), partial: vec![0.0; TILE * head_width], dtype }
    }

    fn head(
        &mut self,
        row: &Row<'_>,
        kv_head: usize,
        head: &Head<'_>,
        dq: &mut [f32],
        (dk, dv): (&mut [f32], &mut [f32]),
    ) {
        let h = row.attributes.head_width;
        for start in (0..row.tokens()).step_by(BLOCK) {
            for tile in row.tiles(start, TILE) {
                let Some(keys) = row.union(&tile, start) else { continue };
                let (first, count) = (start + keys.start, keys.len());
                let (k, v) = (row.k(kv_head).rows_at(first, count), row.v(kv_head).rows_at(first, count));
                let window = first * h..(first + count) * h;
                let rows = tile.len();
                let (q, gradient) = (head.q.rows_at(tile.start, rows), head.gradient.rows_at(tile.start, rows));
                self.products.scores(q, k, &keys, &mut self.p);
                self.products.scores(gradient, v, &keys, &mut self.ds);
                self.weigh(row, head, &tile, start);
                let p = View::row_major(&self.p[..rows * BLOCK], rows, BLOCK).cols_at(keys.start, count);
                let ds = View::row_major(&self.ds[..rows * BLOCK], rows, BLOCK).cols_at(keys.start, count);
                let partial = &mut self.partial[..rows * h];
                if row.whole_tiles() {
                    self.products.accumulate(p.transpose(), gradient, &mut dv[window.clone()]);
                    self.products.accumulate(ds.transpose(), q, &mut dk[window]);
                    self.products.product(ds, k, partial);
                } else {
                    let visible = &row.visible_of(&tile, start)[..rows];
                    let [q, gradient, k] = [q, gradient, row.k(kv_head).rows_at(start, row.block(start))].map(gathered);
                    let (level, from) = (self.products.level, start * h);
                    accumulate_seen(level, &self.p, visible, &gradient, &mut dv[from..]);
                    accumulate_seen(level, &self.ds, visible, &q, &mut dk[from..]);
                    product_seen(level, &self.ds, visible, &k, partial);
                }
                for (dq, partial) in dq[tile.start * h..tile.end * h].iter_mut().zip(partial) {
                    *dq += *partial;
                }
            }
        }
    }

    /// Turns S and dP of a tile into P and dS.
    fn weigh(&mut self, row: &Row<'_>, head: &Head<'_>, tile: &Range<usize>, start: usize) {
        let visible = row.visible_of(tile, start);
        let (level, used) = (self.products.level, tile.len() * BLOCK);
        let rows =
            Rows { visible: &visible[..tile.len()], lse2: &head.lse2[tile.clone()], delta: &head.delta[tile.clone()] };
        weigh(level, &mut self.p[..used], &mut self.ds[..used], rows, row.attributes.exponent_scale());
        round(level, self.dtype, &mut self.p[..used]);
        round(level, self.dtype, &mut self.ds[..used]);
    }
}

/// The elements of a view, row by row.
fn gathered(view: View<'_>) -> Vec<f32> {
    (0..view.rows()).flat_map(|row| (0..view.cols()).map(move |col| view.at(row, col))).collect()
}

vectorised! {
    /// `out` += aᵀ·b where row i of `a` meets only the columns that it sees: for each row, ascending, and each of its
    /// visible columns j, the chains of `out[j]` go on by fma(a_ij, b_i, ·).
    fn accumulate_seen<'a>(a: &'a [f32], visible: &'a [(usize, usize)], b: &'a [f32], out: &'a mut [f32]) {
        let h = b.len() / visible.len();
        for ((a, &(first, end)), b) in a.as_chunks::<BLOCK>().0.iter().zip(visible).zip(b.chunks_exact(h)) {
            for j in first..end {
                for (out, b) in out[j * h..][..h].iter_mut().zip(b) {
                    *out = a[j].mul_add(*b, *out);
                }
            }
        }
    }

    /// `out` = a·b where row i of `a` meets only the columns that it sees: one chain over them, ascending, from +0.
    fn product_seen<'a>(a: &'a [f32], visible: &'a [(usize, usize)], b: &'a [f32], out: &'a mut [f32]) {
        let h = out.len() / visible.len();
        for ((a, &(first, end)), out) in a.as_chunks::<BLOCK>().0.iter().zip(visible).zip(out.chunks_exact_mut(h)) {
            out.fill(0.0);
            for j in first..end {
                for (out, b) in out.iter_mut().zip(&b[j * h..][..h]) {
                    *out = a[j].mul_add(*b, *out);
                }
            }
            out.iter_mut().for_each(|out| *out = format::canonical(*out + 0.0));
        }
    }
}

/// What is known of the query rows of a tile.
struct Rows<'a> {
    visible: &'a [(usize, usize)],
    lse2: &'a [f32],
    delta: &'a [f32],
}

vectorised! {
    /// `p` holds S and becomes P, `ds` holds dP and becomes dS, both before rounding and +0 where nothing is seen.
    fn weigh<'a>(p: &'a mut [f32], ds: &'a mut [f32], rows: Rows<'a>, c: f32) {
        let (p, ds) = (p.as_chunks_mut::<BLOCK>().0, ds.as_chunks_mut::<BLOCK>().0);
        for (i, (p, ds)) in p.iter_mut().zip(ds).enumerate() {
            let ((first, end), lse2, delta) = (rows.visible[i], rows.lse2[i], rows.delta[i]);
            let (first, count) = (first as u32, end.saturating_sub(first) as u32);
            for column in 0..BLOCK {
                let weight = math::exp2_poly5(p[column].mul_add(c, -lse2));
                let gradient = weight * (ds[column] - delta);
                let seen = (column as u32).wrapping_sub(first) < count;
                p[column] = if seen { weight } else { 0.0 };
                ds[column] = if seen { gradient } else { 0.0 };
            }
        }
    }
}
