//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use super::{Attributes, BLOCK};
use crate::room::Call;
use crate::tensor::Dtype;
use numerics::{format, math, sum};
use std::ops::Range;

/// The packed heads of one unit.
struct Unit<'a> {
    attributes: Attributes,
    /// [position, channel], in f32.
    qkv: Vec<f32>,
    document_start: &'a [i32],
    dtype: Dtype,
}

impl<'a> Unit<'a> {
    fn of(call: &Call<'a, '_>, document_start: usize, unit: usize) -> Self {
        let (qkv, positions) = (call.inputs[0], call.inputs[0].shape()[1]);
        let starts: &[i32] = call.inputs[document_start].typed();
        let attributes: Attributes = call.attributes();
        let mut values = vec![0.0; positions * attributes.width()];
        qkv.floats().load(unit * values.len(), &mut values);
        Self {
            attributes,
            qkv: values,
            document_start: &starts[unit * positions..][..positions],
            dtype: qkv.spec.dtype,
        }
    }

    /// Channel of a head, heads counted through queries, keys and values.
    fn at(&self, position: usize, head: usize, channel: usize) -> f32 {
        self.qkv[position * self.attributes.width() + head * self.attributes.head_width + channel]
    }

    fn q(&self, position: usize, query_head: usize, channel: usize) -> f32 {
        self.at(position, query_head, channel)
    }

    fn k(&self, position: usize, query_head: usize, channel: usize) -> f32 {
        self.at(position, self.attributes.query_heads + query_head / self.attributes.group(), channel)
    }

    fn v(&self, position: usize, query_head: usize, channel: usize) -> f32 {
        let before = self.attributes.query_heads + self.attributes.kv_heads;
        self.at(position, before + query_head / self.attributes.group(), channel)
    }

    /// Start of the packed row that a position lies in.
    fn row_start(&self, position: usize) -> usize {
        position / self.attributes.row_tokens * self.attributes.row_tokens
    }

    fn sees(&self, i: usize, j: usize) -> bool {
        self.row_start(i) == self.row_start(j) && i64::from(self.document_start[i]) <= j as i64 && j <= i
    }

    /// The visible keys of position i in each block that has some, with the start of the block.
    fn blocks(&self, i: usize) -> Vec<(usize, Range<usize>)> {
        let mut blocks: Vec<(usize, Range<usize>)> = Vec::new();
        let row_start = self.row_start(i);
        for j in row_start..=i {
            if self.sees(i, j) {
                let start = row_start + (j - row_start) / BLOCK * BLOCK;
                match blocks.last_mut().filter(|(last, _)| *last == start) {
                    Some((_, keys)) => keys.end = j + 1,
                    None => blocks.push((start, j..j + 1)),
                }
            }
        }
        blocks
    }

    fn score(&self, i: usize, j: usize, head: usize) -> f32 {
        let channels = 0..self.attributes.head_width;
        channels.fold(0.0, |sum: f32, d| self.q(i, head, d).mul_add(self.k(j, head, d), sum)) + 0.0
    }

    /// The weight as the products read it.
    fn stored(&self, value: f32) -> f32 {
        self.dtype.rounded(value)
    }
}

pub fn forward(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let (units, positions) = (call.inputs[0].shape()[0], call.inputs[0].shape()[1]);
    let inputs: Vec<Unit<'_>> = (0..units).map(|unit| Unit::of(call, 1, unit)).collect();
    let [o, lse2] = call.outputs else { unreachable!("attention has two outputs") };
    let (mut o, mut lse2) = (o.reborrow().into_floats(), lse2.reborrow().into_floats());
    for (unit, input) in inputs.iter().enumerate() {
        for head in 0..attributes.query_heads {
            for i in 0..positions {
                let (values, logarithm) = row(input, i, head);
                lse2.set((unit * attributes.query_heads + head) * positions + i, logarithm);
                let at = ((unit * positions + i) * attributes.query_heads + head) * attributes.head_width;
                o.store(at, &values);
            }
        }
    }
}

/// Output and lse2 of one query row.
fn row(unit: &Unit<'_>, i: usize, head: usize) -> (Vec<f32>, f32) {
    let c = unit.attributes.exponent_scale();
    let mut o = vec![0.0; unit.attributes.head_width];
    let (mut l, mut largest, mut mu) = (0.0, None, f32::NEG_INFINITY);
    for (start, keys) in unit.blocks(i) {
        let scores: Vec<f32> = keys.clone().map(|j| unit.score(i, j, head)).map(format::canonical).collect();
        let of_block = format::max_of(&scores).expect("a block with a visible key");
        let m = largest.map_or(of_block, |largest| format::max(largest, of_block));
        let (old, first) = (mu, largest.is_none());
        mu = m * c;
        largest = Some(m);
        let p: Vec<f32> = scores.iter().map(|score| math::exp2_poly5(score.mul_add(c, -mu))).collect();
        let mut columns = [0.0; BLOCK];
        columns[keys.start - start..keys.end - start].copy_from_slice(&p);
        let s = sum::lanes32(&columns);
        let alpha = math::exp2_poly5(old - mu);
        l = if first { s } else { f32::mul_add(l, alpha, s) };
        for (d, o) in o.iter_mut().enumerate() {
            if !first {
                *o *= alpha;
            }
            for (j, p) in keys.clone().zip(&p) {
                *o = unit.stored(*p).mul_add(unit.v(j, head, d), *o);
            }
        }
    }
    if largest.is_none() {
        return (o, f32::NEG_INFINITY);
    }
    let inverse = 1.0 / l;
    o.iter_mut().for_each(|o| *o = (*o + 0.0) * inverse);
    (o, math::log(l).mul_add(std::f32::consts::LOG2_E, mu))
}

/// P and dS of one visible pair.
#[derive(Clone, Copy, Default)]
struct Pair {
    p: f32,
    ds: f32,
}

pub fn backward(call: &mut Call<'_, '_>) {
    let Attributes { query_heads, kv_heads, head_width, .. } = call.attributes();
    let attributes: Attributes = call.attributes();
    let (units, positions) = (call.inputs[0].shape()[0], call.inputs[0].shape()[1]);
    let (o, lse2, gradient) = (call.inputs[1].floats(), call.inputs[2].f32(), call.inputs[3].floats());
    let inputs: Vec<Unit<'_>> = (0..units).map(|unit| Unit::of(call, 4, unit)).collect();
    let mut dqkv = call.outputs[0].reborrow().into_floats();
    for (unit, input) in inputs.iter().enumerate() {
        let at = |i: usize, head: usize| ((unit * positions + i) * query_heads + head) * head_width;
        let mut pairs = vec![vec![Pair::default(); positions * positions]; query_heads];
        for (head, pairs) in pairs.iter_mut().enumerate() {
            for i in 0..positions {
                let products: Vec<f32> =
                    (0..head_width).map(|d| gradient.get(at(i, head) + d) * o.get(at(i, head) + d)).collect();
                let delta = sum::lanes32(&products);
                let lse2 = lse2[(unit * query_heads + head) * positions + i];
                for j in (0..positions).filter(|j| input.sees(i, *j)) {
                    let exponent = input.score(i, j, head).mul_add(attributes.exponent_scale(), -lse2);
                    let p = math::exp2_poly5(exponent);
                    let dp = (0..head_width)
                        .fold(0.0, |sum: f32, d| gradient.get(at(i, head) + d).mul_add(input.v(j, head, d), sum))
                        + 0.0;
                    pairs[i * positions + j] = Pair { p: input.stored(p), ds: input.stored(p * (dp - delta)) };
                }
            }
        }
        let mut set = |position: usize, head: usize, channel: usize, value: f32| {
            let at = (unit * positions + position) * attributes.width() + head * head_width + channel;
            dqkv.set(at, value);
        };
        for position in 0..positions {
            let blocks = input.blocks(position);
            let seen_by: Vec<usize> = (0..positions).filter(|i| input.sees(*i, position)).collect();
            for channel in 0..head_width {
                for (head, pairs) in pairs.iter().enumerate() {
                    set(position, head, channel, dq(input, pairs, (position, &blocks), head, channel));
                }
                for head in 0..kv_heads {
                    let (mut dk, mut dv) = (0.0, 0.0);
                    let group = head * attributes.group()..(head + 1) * attributes.group();
                    for (query_head, pairs) in group.clone().zip(&pairs[group]) {
                        for &i in &seen_by {
                            let Pair { p, ds } = pairs[i * positions + position];
                            dk = ds.mul_add(input.q(i, query_head, channel), dk);
                            dv = p.mul_add(gradient.get(at(i, query_head) + channel), dv);
                        }
                    }
                    set(position, query_heads + head, channel, (dk + 0.0) * attributes.gradient_scale());
                    set(position, query_heads + kv_heads + head, channel, dv + 0.0);
                }
            }
        }
    }
}

/// dQ of position `i`, whose visible keys are in `blocks`.
fn dq(
    unit: &Unit<'_>,
    pairs: &[Pair],
    (i, blocks): (usize, &[(usize, Range<usize>)]),
    head: usize,
    channel: usize,
) -> f32 {
    let mut total = 0.0;
    for (_, keys) in blocks {
        let mut partial = 0.0;
        for j in keys.clone() {
            partial = pairs[i * unit.document_start.len() + j].ds.mul_add(unit.k(j, head, channel), partial);
        }
        total += partial + 0.0;
    }
    total * unit.attributes.gradient_scale()
}
