//! The bits of the contract, as plainly as they can be written: one thread, whole matrices of weights, one step after the
//! other.

use crate::ops::attention::{Attributes, BLOCK};
use crate::ops::matmul_tc16::steps;
use crate::room::Call;
use crate::tensor::Dtype;
use numerics::{format, math, sum};

/// One packed row of one unit, widened.
struct Row {
    attributes: Attributes,
    dtype: Dtype,
    /// Channels of each position.
    qkv: Vec<Vec<f32>>,
    /// First key that each position sees, counted from the row's start; behind the position when it sees none.
    first: Vec<usize>,
}

impl Row {
    /// All packed rows, unit after unit.
    fn all(call: &Call<'_, '_>, document_start: usize) -> Vec<Self> {
        let attributes: Attributes = call.attributes();
        let positions = call.inputs[0].shape()[1];
        let (tokens, width) = (attributes.row_tokens, attributes.width());
        let (qkv, starts) = (call.inputs[0].floats(), call.inputs[document_start].typed::<i32>());
        let row = |first: usize| {
            let begin = first % positions;
            Self {
                attributes,
                dtype: call.inputs[0].spec.dtype,
                qkv: (first..first + tokens)
                    .map(|at| (0..width).map(|channel| qkv.get(at * width + channel)).collect())
                    .collect(),
                first: (first..first + tokens)
                    .map(|at| (i64::from(starts[at]) - begin as i64).max(0) as usize)
                    .collect(),
            }
        };
        (0..qkv.len() / width).step_by(tokens).map(row).collect()
    }

    fn tokens(&self) -> usize {
        self.first.len()
    }

    /// Channels of a head, heads counted through queries, keys and values.
    fn head(&self, position: usize, head: usize) -> &[f32] {
        &self.qkv[position][head * self.attributes.head_width..][..self.attributes.head_width]
    }

    fn k(&self, position: usize, query_head: usize) -> &[f32] {
        self.head(position, self.attributes.query_heads + query_head / self.attributes.group())
    }

    fn v(&self, position: usize, query_head: usize) -> &[f32] {
        let before = self.attributes.query_heads + self.attributes.kv_heads;
        self.head(position, before + query_head / self.attributes.group())
    }

    fn sees(&self, i: usize, j: usize) -> bool {
        self.first[i] <= j && j <= i
    }

    /// Keys of the blocks from the first to that of position i.
    fn blocks(&self, i: usize) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let tokens = self.tokens();
        (0..=i).step_by(BLOCK).map(move |start| start..tokens.min(start + BLOCK))
    }

    fn tc16(&self, a: &[f32], b: &[f32], c: f32) -> f32 {
        steps(self.dtype.tensor_core_format().expect("infer has accepted the dtype"), a, b, c)
    }

    fn score(&self, i: usize, j: usize, head: usize) -> f32 {
        self.tc16(self.head(i, head), self.k(j, head), 0.0)
    }
}

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { query_heads, head_width, row_tokens, .. } = call.attributes();
    let positions = call.inputs[0].shape()[1];
    let rows = Row::all(call, 1);
    let [o, lse2] = call.outputs else { unreachable!("attention has two outputs") };
    let (mut o, mut lse2) = (o.reborrow().into_floats(), lse2.reborrow().into_floats());
    for (at, row) in rows.iter().enumerate() {
        for head in 0..query_heads {
            for i in 0..row_tokens {
                let position = at * row_tokens + i;
                let (values, logarithm) = query(row, i, head);
                o.store((position * query_heads + head) * head_width, &values);
                let (unit, position) = (position / positions, position % positions);
                lse2.set((unit * query_heads + head) * positions + position, logarithm);
            }
        }
    }
}

/// Output and lse2 of one query.
fn query(row: &Row, i: usize, head: usize) -> (Vec<f32>, f32) {
    let c = row.attributes.exponent_scale();
    let mut o = vec![0.0; row.attributes.head_width];
    let (mut l, mut largest, mut mu) = (0.0, None, f32::NEG_INFINITY);
    for keys in row.blocks(i) {
        let mut weights = vec![0.0; keys.len()];
        let visible: Vec<usize> = keys.clone().filter(|j| row.sees(i, *j)).collect();
        if !visible.is_empty() {
            let scores: Vec<f32> = visible.iter().map(|j| row.score(i, *j, head)).collect();
            let of_block = format::max_of(&scores).expect("a visible key");
            let m = largest.map_or(of_block, |largest| format::max(largest, of_block));
            let old = mu;
            mu = m * c;
            let mut columns = [0.0; BLOCK];
            for (j, score) in visible.iter().zip(&scores) {
                let p = math::exp2_poly5(score.mul_add(c, -mu));
                columns[j - keys.start] = p;
                weights[j - keys.start] = row.dtype.rounded(p);
            }
            let s = sum::lanes32(&columns);
            if largest.is_some() {
                let alpha = math::exp2_poly5(old - mu);
                l = f32::mul_add(l, alpha, s);
                o.iter_mut().for_each(|o| *o *= alpha);
            } else {
                l = s;
            }
            largest = Some(m);
        }
        for (d, o) in o.iter_mut().enumerate() {
            let column: Vec<f32> = keys.clone().map(|j| row.v(j, head)[d]).collect();
            *o = row.tc16(&weights, &column, *o);
        }
    }
    if largest.is_none() {
        return (o, f32::NEG_INFINITY);
    }
    let inverse = 1.0 / l;
    o.iter_mut().for_each(|o| *o = (*o + 0.0) * inverse);
    (o, math::log(l).mul_add(std::f32::consts::LOG2_E, mu))
}

/// P and dS of one query head: [row][key], +0 where nothing is seen.
struct Weights {
    p: Vec<Vec<f32>>,
    ds: Vec<Vec<f32>>,
}

pub fn backward(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let Attributes { query_heads, kv_heads, head_width, row_tokens } = attributes;
    let positions = call.inputs[0].shape()[1];
    let (o, lse2, gradient) = (call.inputs[1].floats(), call.inputs[2].f32(), call.inputs[3].floats());
    let rows = Row::all(call, 4);
    let mut dqkv = call.outputs[0].reborrow().into_floats();
    for (at, row) in rows.iter().enumerate() {
        let channel = |i: usize, head: usize, d: usize| ((at * row_tokens + i) * query_heads + head) * head_width + d;
        let first = at * row_tokens;
        let gradients = |i: usize, head: usize| -> Vec<f32> {
            (0..head_width).map(|d| gradient.get(channel(i, head, d))).collect()
        };
        let weights = |head: usize| {
            let lse2 = &lse2[(first / positions * query_heads + head) * positions + first % positions..];
            let delta = |i: usize| {
                let products: Vec<f32> =
                    (0..head_width).map(|d| gradient.get(channel(i, head, d)) * o.get(channel(i, head, d))).collect();
                sum::lanes32(&products)
            };
            Weights::of(row, head, lse2, delta, |i| gradients(i, head))
        };
        let weights: Vec<Weights> = (0..query_heads).map(weights).collect();
        let mut set = |position: usize, head: usize, d: usize, value: f32| {
            dqkv.set((first + position) * attributes.width() + head * head_width + d, value);
        };
        let scale = attributes.gradient_scale();
        for position in 0..row_tokens {
            for d in 0..head_width {
                for (head, weights) in weights.iter().enumerate() {
                    let mut dq = 0.0;
                    for keys in row.blocks(position) {
                        let column: Vec<f32> = keys.clone().map(|j| row.k(j, head)[d]).collect();
                        dq += row.tc16(&weights.ds[position][keys], &column, 0.0);
                    }
                    set(position, head, d, dq * scale);
                }
                for kv_head in 0..kv_heads {
                    let (mut dk, mut dv) = (0.0, 0.0);
                    let queries = position / BLOCK * BLOCK..row_tokens;
                    let group = kv_head * attributes.group()..(kv_head + 1) * attributes.group();
                    for (head, weights) in group.clone().zip(&weights[group]) {
                        let of = |matrix: &[Vec<f32>]| queries.clone().map(|i| matrix[i][position]).collect::<Vec<_>>();
                        let q: Vec<f32> = queries.clone().map(|i| row.head(i, head)[d]).collect();
                        let g: Vec<f32> = queries.clone().map(|i| gradient.get(channel(i, head, d))).collect();
                        dk = row.tc16(&of(&weights.ds), &q, dk);
                        dv = row.tc16(&of(&weights.p), &g, dv);
                    }
                    set(position, query_heads + kv_head, d, (dk + 0.0) * scale);
                    set(position, query_heads + kv_heads + kv_head, d, dv + 0.0);
                }
            }
        }
    }
}

impl Weights {
    fn of(
        row: &Row,
        head: usize,
        lse2: &[f32],
        delta: impl Fn(usize) -> f32,
        gradient: impl Fn(usize) -> Vec<f32>,
    ) -> Self {
        let tokens = row.tokens();
        let mut weights = Self { p: vec![vec![0.0; tokens]; tokens], ds: vec![vec![0.0; tokens]; tokens] };
        for (i, lse2) in lse2[..tokens].iter().enumerate() {
            let (delta, gradient) = (delta(i), gradient(i));
            for j in (0..=i).filter(|j| row.sees(i, *j)) {
                let p = math::exp2_poly5(row.score(i, j, head).mul_add(row.attributes.exponent_scale(), -*lse2));
                let dp = row.tc16(&gradient, row.v(j, head), 0.0);
                weights.p[i][j] = row.dtype.rounded(p);
                weights.ds[i][j] = row.dtype.rounded(p * (dp - delta));
            }
        }
        weights
    }
}
