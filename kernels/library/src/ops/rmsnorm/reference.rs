//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use super::{Attributes, PARTIAL_ROWS};
use crate::room::Call;
use crate::tensor::Floats;
use numerics::{math, sum};

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { epsilon } = call.attributes();
    let (x, gamma) = (call.inputs[0].floats(), call.inputs[1].floats());
    let width = call.inputs[0].shape()[2];
    let [y, r] = call.outputs else { unreachable!("rmsnorm has two outputs") };
    let (mut y, mut r) = (y.reborrow().into_floats(), r.reborrow().into_floats());
    for row in 0..x.len() / width {
        let squares = sum::blocked_squares(&values(x, row, width));
        let scale = math::rsqrt(squares / width as f32 + epsilon);
        r.set(row, scale);
        for column in 0..width {
            y.set(row * width + column, x.get(row * width + column) * scale * gamma.get(column));
        }
    }
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [x, gamma, r, dy] = call.inputs else { unreachable!("rmsnorm_backward has four inputs") };
    let [units, rows, width] = x.shape() else { unreachable!("x has three axes") };
    let (units, rows, width) = (*units, *rows, *width);
    let (x, gamma, r, dy) = (x.floats(), gamma.floats(), r.floats(), dy.floats());
    let [dx, dgamma] = call.outputs else { unreachable!("rmsnorm_backward has two outputs") };
    let (mut dx, mut dgamma) = (dx.reborrow().into_floats(), dgamma.reborrow().into_floats());
    for row in 0..units * rows {
        let x_row = values(x, row, width);
        let g: Vec<f32> = (0..width).map(|column| dy.get(row * width + column) * gamma.get(column)).collect();
        let products: Vec<f32> = g.iter().zip(&x_row).map(|(g, x)| g * x).collect();
        let k = sum::blocked(&products) / width as f32 * r.get(row) * r.get(row);
        for column in 0..width {
            dx.set(row * width + column, r.get(row) * (-x_row[column]).mul_add(k, g[column]));
        }
    }
    for unit in 0..units {
        for column in 0..width {
            let mut partials = Vec::new();
            for first in (0..rows).step_by(PARTIAL_ROWS) {
                let mut accumulator = 0.0;
                for row in first..rows.min(first + PARTIAL_ROWS) {
                    let row = unit * rows + row;
                    let at = row * width + column;
                    accumulator = dy.get(at).mul_add(x.get(at) * r.get(row), accumulator);
                }
                partials.push(accumulator);
            }
            dgamma.set(unit * width + column, sum::tree(&mut partials));
        }
    }
}

fn values(x: Floats<'_>, row: usize, width: usize) -> Vec<f32> {
    let mut values = vec![0.0; width];
    x.load(row * width, &mut values);
    values
}
