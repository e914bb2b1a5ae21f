//! Rows spread over the pool; within a row, and across columns of `dγ`, loops that vectorise.

use super::{Attributes, PARTIAL_ROWS};
use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};
use numerics::{math, sum};

/// Elements of one task of the forward pass: enough to pay for its start.
const TASK: usize = 8 * 1024;

/// Consecutive rows of the forward pass.
struct Rows<'a> {
    first: usize,
    count: usize,
    y: FloatsMut<'a>,
    r: FloatsMut<'a>,
}

/// All rows of one unit in the backward pass. A unit without rows has no piece of `dx` and still owns a slice of `dγ`.
struct Unit<'a> {
    first: usize,
    count: usize,
    dx: Option<FloatsMut<'a>>,
    dgamma: FloatsMut<'a>,
}

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { epsilon } = call.attributes();
    let (x, width, level) = (call.inputs[0].floats(), call.inputs[0].shape()[2], call.context.level);
    let mut gamma = vec![0.0; width];
    call.inputs[1].floats().load(0, &mut gamma);
    let (rows, all) = ((TASK / width).max(1), x.len() / width);
    let [y, r] = call.outputs else { unreachable!("rmsnorm has two outputs") };
    let y = y.reborrow().into_floats().chunks(rows * width);
    let r = r.reborrow().into_floats().chunks(rows);
    let tasks = y.into_iter().zip(r).enumerate().map(|(task, (y, r))| {
        let first = task * rows;
        Rows { first, count: rows.min(all - first), y, r }
    });
    call.context.pool.run(tasks.collect(), |_, rows| normalise(level, x, &gamma, epsilon, rows));
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [x, gamma, r, dy] = call.inputs else { unreachable!("rmsnorm_backward has four inputs") };
    let (count, width, level) = (x.shape()[1], x.shape()[2], call.context.level);
    let (x, r, dy) = (x.floats(), r.f32(), dy.floats());
    let mut gammas = vec![0.0; width];
    gamma.floats().load(0, &mut gammas);
    let [dx, dgamma] = call.outputs else { unreachable!("rmsnorm_backward has two outputs") };
    let dx = dx.reborrow().into_floats().chunks(count.max(1) * width);
    let dgamma = dgamma.reborrow().into_floats().chunks(width);
    let dx = dx.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    // A task is a unit, since `dγ` needs all rows of its unit.
    let tasks = dgamma.into_iter().zip(dx).enumerate().map(|(unit, (dgamma, dx))| {
        let first = unit * count;
        Unit { first, count, dx, dgamma }
    });
    call.context.pool.run(tasks.collect(), |_, unit| differentiate(level, (x, dy), r, &gammas, unit));
}

numerics::vectorised! {
    fn normalise<'a>(x: Floats<'a>, gamma: &'a [f32], epsilon: f32, rows: Rows<'a>) {
        let mut out = rows;
        let width = gamma.len();
        let mut values = vec![0.0; width];
        for row in 0..out.count {
            x.load((out.first + row) * width, &mut values);
            let scale = math::rsqrt(sum::blocked_squares(&values) / width as f32 + epsilon);
            for (value, gamma) in values.iter_mut().zip(gamma) {
                *value = *value * scale * *gamma;
            }
            out.r.set(row, scale);
            out.y.store(row * width, &values);
        }
    }

    /// The first operand is x and dy.
    fn differentiate<'a>(operands: (Floats<'a>, Floats<'a>), r: &'a [f32], gamma: &'a [f32], unit: Unit<'a>) {
        let ((x, dy), mut out, width) = (operands, unit, gamma.len());
        let mut partials = vec![0.0; out.count.div_ceil(PARTIAL_ROWS) * width];
        let (mut xs, mut dys) = (vec![0.0; width], vec![0.0; width]);
        let (mut g, mut products) = (vec![0.0; width], vec![0.0; width]);
        for row in 0..out.count {
            let at = out.first + row;
            x.load(at * width, &mut xs);
            dy.load(at * width, &mut dys);
            let scale = r[at];
            for ((((g, product), dy), x), gamma) in g.iter_mut().zip(&mut products).zip(&dys).zip(&xs).zip(gamma) {
                *g = dy * gamma;
                *product = *g * x;
            }
            let k = sum::blocked(&products) / width as f32 * scale * scale;
            let partial = &mut partials[row / PARTIAL_ROWS * width..][..width];
            for ((partial, dy), x) in partial.iter_mut().zip(&dys).zip(&xs) {
                *partial = dy.mul_add(x * scale, *partial);
            }
            if let Some(dx) = &mut out.dx {
                for ((product, g), x) in products.iter_mut().zip(&g).zip(&xs) {
                    *product = scale * (-x).mul_add(k, *g);
                }
                dx.store(row * width, &products);
            }
        }
        let partials: Vec<&[f32]> = partials.chunks(width.max(1)).collect();
        sum::tree_slices(&partials, &mut g);
        out.dgamma.store(0, &g);
    }
}
