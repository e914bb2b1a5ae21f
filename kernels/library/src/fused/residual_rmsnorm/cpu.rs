//! Rows spread over the pool. A row is added, rounded, summed and scaled while it lies in the first cache.

use super::Attributes;
use crate::room::Call;
use crate::tensor::{Dtype, Floats, FloatsMut};
use numerics::{math, sum};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 8 * 1024;

/// One task: its rows and their outputs.
struct Rows<'a> {
    first: usize,
    count: usize,
    sum: FloatsMut<'a>,
    y: FloatsMut<'a>,
    r: FloatsMut<'a>,
}

pub fn forward(call: &mut Call<'_, '_>) {
    let epsilon = call.attributes::<Attributes>().second.epsilon;
    let [x, a, gamma] = call.inputs else { unreachable!("residual_rmsnorm has three inputs") };
    let width = x.shape()[2];
    let (dtype, level) = (x.spec.dtype, call.context.level);
    let (x, a) = (x.floats(), a.floats());
    let mut gammas = vec![0.0; width];
    gamma.floats().load(0, &mut gammas);
    let (rows, all) = ((TASK / width).max(1), x.len() / width);
    let [sum, y, r] = call.outputs else { unreachable!("residual_rmsnorm has three outputs") };
    let sum = sum.reborrow().into_floats().chunks(rows * width);
    let y = y.reborrow().into_floats().chunks(rows * width);
    let r = r.reborrow().into_floats().chunks(rows);
    let outputs = sum.into_iter().zip(y).zip(r).enumerate();
    let tasks = outputs.map(|(task, ((sum, y), r))| {
        let first = task * rows;
        Rows { first, count: rows.min(all - first), sum, y, r }
    });
    call.context.pool.run(tasks.collect(), |_, rows| normalise(level, x, a, dtype, &gammas, epsilon, rows));
}

numerics::vectorised! {
    fn normalise<'a>(
        x: Floats<'a>,
        a: Floats<'a>,
        dtype: Dtype,
        gamma: &'a [f32],
        epsilon: f32,
        rows: Rows<'a>,
    ) {
        let mut out = rows;
        let width = gamma.len();
        let (mut values, mut others) = (vec![0.0; width], vec![0.0; width]);
        for row in 0..out.count {
            let start = (out.first + row) * width;
            x.load(start, &mut values);
            a.load(start, &mut others);
            for (value, other) in values.iter_mut().zip(&others) {
                *value += *other;
            }
            dtype.round(&mut values);
            out.sum.store(row * width, &values);
            let scale = math::rsqrt(sum::blocked_squares(&values) / width as f32 + epsilon);
            out.r.set(row, scale);
            for (value, gamma) in values.iter_mut().zip(gamma) {
                *value = *value * scale * *gamma;
            }
            out.y.store(row * width, &values);
        }
    }
}
