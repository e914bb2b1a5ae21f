//! Rows spread over the pool; within a row, and across columns of `dγ`, loops that vectorise.

use super::{Attributes, PARTIAL_ROWS};
use crate::room::Call;
use numerics::{math, sum, vectorised};

/// Rows of one task: large enough to pay for its start, and equal to a partial of `dγ`.
const TASK_ROWS: usize = PARTIAL_ROWS;

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { epsilon } = call.attributes();
    let level = call.context.level;
    let (x, width) = (call.inputs[0].floats(), call.inputs[0].shape()[2]);
    let mut gamma = vec![0.0; width];
    call.inputs[1].floats().load(0, &mut gamma);
    let [y, r] = call.outputs else { unreachable!("rmsnorm has two outputs") };
    let y = y.reborrow().into_floats().chunks(TASK_ROWS * width);
    let r = r.reborrow().into_floats().chunks(TASK_ROWS);
    call.context.pool.run(y.into_iter().zip(r).collect(), |task, (mut y, mut r)| {
        let (mut x_row, mut y_row) = (vec![0.0; width], vec![0.0; width]);
        for row in 0..TASK_ROWS.min(x.len() / width - task * TASK_ROWS) {
            x.load((task * TASK_ROWS + row) * width, &mut x_row);
            r.set(row, normalise(level, &x_row, &gamma, epsilon, &mut y_row));
            y.store(row * width, &y_row);
        }
    });
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [x, gamma, r, dy] = call.inputs else { unreachable!("rmsnorm_backward has four inputs") };
    let (rows, width) = (x.shape()[1], x.shape()[2]);
    let (x, r, dy) = (x.floats(), r.f32(), dy.floats());
    let level = call.context.level;
    let mut gamma_row = vec![0.0; width];
    gamma.floats().load(0, &mut gamma_row);
    let [dx, dgamma] = call.outputs else { unreachable!("rmsnorm_backward has two outputs") };
    let dx = dx.reborrow().into_floats().chunks(rows.max(1) * width);
    let dgamma = dgamma.reborrow().into_floats().chunks(width);
    // A task is a unit when there are several, since `dγ` needs all rows of its unit.
    call.context.pool.run(dgamma.into_iter().zip(pad(dx)).collect(), |unit, (mut dgamma, dx)| {
        let mut partials: Vec<Vec<f32>> = Vec::new();
        let (mut x_row, mut dy_row) = (vec![0.0; width], vec![0.0; width]);
        let (mut g, mut products) = (vec![0.0; width], vec![0.0; width]);
        let mut dx = dx;
        for row in 0..rows {
            if row % PARTIAL_ROWS == 0 {
                partials.push(vec![0.0; width]);
            }
            let at = unit * rows + row;
            x.load(at * width, &mut x_row);
            dy.load(at * width, &mut dy_row);
            let scale = r[at];
            let sum = weigh(level, &dy_row, &gamma_row, &x_row, &mut g, &mut products);
            let k = sum / width as f32 * scale * scale;
            let partial = partials.last_mut().expect("a partial was begun at row 0");
            add_to_partial(level, &dy_row, &x_row, scale, partial);
            gradient(level, &x_row, &g, (scale, k), &mut products);
            if let Some(dx) = &mut dx {
                dx.store(row * width, &products);
            }
        }
        let slices: Vec<&[f32]> = partials.iter().map(Vec::as_slice).collect();
        sum::tree_slices(&slices, &mut g);
        dgamma.store(0, &g);
    });
}

vectorised! {
    /// y = x·r·γ of one row; returns r.
    fn normalise<'a>(x: &'a [f32], gamma: &'a [f32], epsilon: f32, y: &'a mut [f32]) -> f32 {
        let scale = math::rsqrt(sum::blocked_squares(x) / x.len() as f32 + epsilon);
        for ((y, x), gamma) in y.iter_mut().zip(x).zip(gamma) {
            *y = x * scale * gamma;
        }
        scale
    }

    /// g = dy·γ, and its products with x; returns the sum of the products.
    fn weigh<'a>(
        dy: &'a [f32],
        gamma: &'a [f32],
        x: &'a [f32],
        g: &'a mut [f32],
        products: &'a mut [f32],
    ) -> f32 {
        for ((((g, product), dy), gamma), x) in g.iter_mut().zip(products.iter_mut()).zip(dy).zip(gamma).zip(x) {
            *g = dy * gamma;
            *product = *g * x;
        }
        sum::blocked(products)
    }

    /// One row of a partial of dγ.
    fn add_to_partial<'a>(dy: &'a [f32], x: &'a [f32], scale: f32, partial: &'a mut [f32]) {
        for ((partial, dy), x) in partial.iter_mut().zip(dy).zip(x) {
            *partial = dy.mul_add(x * scale, *partial);
        }
    }

    /// dx = r·(g − k·x).
    fn gradient<'a>(x: &'a [f32], g: &'a [f32], scale_and_k: (f32, f32), dx: &'a mut [f32]) {
        let (scale, k) = scale_and_k;
        for ((dx, x), g) in dx.iter_mut().zip(x).zip(g) {
            *dx = scale * (-x).mul_add(k, *g);
        }
    }
}

/// A unit without rows has no piece of `dx` and still owns a slice of `dγ`.
fn pad<T>(pieces: Vec<T>) -> impl Iterator<Item = Option<T>> {
    pieces.into_iter().map(Some).chain(std::iter::repeat_with(|| None))
}
