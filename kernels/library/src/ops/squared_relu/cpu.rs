//! Pieces spread over the pool; within a piece, tiles that are widened, computed and rounded together.

use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 16 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

pub fn forward(call: &mut Call<'_, '_>) {
    let (x, level) = (call.inputs[0].floats(), call.context.level);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, y| {
        let start = task * TASK;
        square(level, x, start, TASK.min(x.len() - start), y);
    });
}

pub fn backward(call: &mut Call<'_, '_>) {
    let (x, dy) = (call.inputs[0].floats(), call.inputs[1].floats());
    let level = call.context.level;
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, dx| {
        let start = task * TASK;
        scale(level, x, dy, start, TASK.min(x.len() - start), dx);
    });
}

numerics::vectorised! {
    fn square<'a>(x: Floats<'a>, start: usize, length: usize, y: FloatsMut<'a>) {
        let mut y = y;
        let mut values = [0.0; TILE];
        for at in (0..length).step_by(TILE) {
            let values = &mut values[..TILE.min(length - at)];
            x.load(start + at, values);
            for value in values.iter_mut() {
                // The comparison is false for NaN, which therefore stays.
                let r = if *value <= 0.0 { 0.0 } else { *value };
                *value = r * r;
            }
            y.store(at, values);
        }
    }

    fn scale<'a>(x: Floats<'a>, dy: Floats<'a>, start: usize, length: usize, dx: FloatsMut<'a>) {
        let mut dx = dx;
        let (mut values, mut gradients) = ([0.0; TILE], [0.0; TILE]);
        for at in (0..length).step_by(TILE) {
            let tile = TILE.min(length - at);
            let (values, gradients) = (&mut values[..tile], &mut gradients[..tile]);
            x.load(start + at, values);
            dy.load(start + at, gradients);
            for (gradient, value) in gradients.iter_mut().zip(&*values) {
                let r = if *value <= 0.0 { 0.0 } else { *value };
                *gradient *= r + r;
            }
            dx.store(at, gradients);
        }
    }
}
