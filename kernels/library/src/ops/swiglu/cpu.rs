//! Rows spread over the pool; within a row, tiles with a vectorised sigmoid.

use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};
use numerics::math::activation::sigmoid_slice;

/// Elements of `h` of one task: enough to pay for its start.
const TASK: usize = 4 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

pub fn forward(call: &mut Call<'_, '_>) {
    let width = call.outputs[0].spec.shape[2];
    let (gate_up, level) = (call.inputs[0].floats(), call.context.level);
    let (rows, all) = ((TASK / width).max(1), gate_up.len() / (2 * width));
    let pieces = call.outputs[0].reborrow().into_floats().chunks(rows * width);
    call.context.pool.run(pieces, |task, h| {
        let first = task * rows;
        forward_rows(level, gate_up, first, rows.min(all - first), width, h);
    });
}

pub fn backward(call: &mut Call<'_, '_>) {
    let width = call.inputs[1].shape()[2];
    let (gate_up, dh, level) = (call.inputs[0].floats(), call.inputs[1].floats(), call.context.level);
    let (rows, all) = ((TASK / width).max(1), dh.len() / width);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(rows * 2 * width);
    call.context.pool.run(pieces, |task, dgate_up| {
        let first = task * rows;
        backward_rows(level, gate_up, dh, first, rows.min(all - first), width, dgate_up);
    });
}

numerics::vectorised! {
    fn forward_rows<'a>(gate_up: Floats<'a>, first: usize, rows: usize, width: usize, h: FloatsMut<'a>) {
        let mut h = h;
        let (mut gates, mut ups, mut sigmoids) = ([0.0; TILE], [0.0; TILE], [0.0; TILE]);
        for row in 0..rows {
            for at in (0..width).step_by(TILE) {
                let tile = TILE.min(width - at);
                let (gates, ups, sigmoids) = (&mut gates[..tile], &mut ups[..tile], &mut sigmoids[..tile]);
                let start = (first + row) * 2 * width + at;
                gate_up.load(start, gates);
                gate_up.load(start + width, ups);
                sigmoid_slice(gates, sigmoids);
                for ((gate, up), sigmoid) in gates.iter_mut().zip(&*ups).zip(&*sigmoids) {
                    *gate = *gate * *sigmoid * *up;
                }
                h.store(row * width + at, gates);
            }
        }
    }

    fn backward_rows<'a>(
        gate_up: Floats<'a>,
        dh: Floats<'a>,
        first: usize,
        rows: usize,
        width: usize,
        dgate_up: FloatsMut<'a>,
    ) {
        let mut dgate_up = dgate_up;
        let (mut gates, mut ups) = ([0.0; TILE], [0.0; TILE]);
        let (mut sigmoids, mut gradients) = ([0.0; TILE], [0.0; TILE]);
        for row in 0..rows {
            for at in (0..width).step_by(TILE) {
                let tile = TILE.min(width - at);
                let (gates, ups) = (&mut gates[..tile], &mut ups[..tile]);
                let (sigmoids, gradients) = (&mut sigmoids[..tile], &mut gradients[..tile]);
                let start = (first + row) * 2 * width + at;
                gate_up.load(start, gates);
                gate_up.load(start + width, ups);
                dh.load((first + row) * width + at, gradients);
                sigmoid_slice(gates, sigmoids);
                for index in 0..tile {
                    let (g, s, dh) = (gates[index], sigmoids[index], gradients[index]);
                    gates[index] = (dh * ups[index]) * (s * (1.0 + g * (1.0 - s)));
                    ups[index] = dh * (g * s);
                }
                dgate_up.store(row * 2 * width + at, gates);
                dgate_up.store(row * 2 * width + width + at, ups);
            }
        }
    }
}
