//! Pieces spread over the pool; within a piece, tiles that are widened and rounded together.

use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 32 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

pub fn forward(call: &mut Call<'_, '_>) {
    let (x, level) = (call.inputs[0].floats(), call.context.level);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, y| {
        let start = task * TASK;
        convert(level, x, start, TASK.min(x.len() - start), y);
    });
}

numerics::vectorised! {
    fn convert<'a>(x: Floats<'a>, start: usize, length: usize, y: FloatsMut<'a>) {
        let mut y = y;
        let mut values = [0.0; TILE];
        for at in (0..length).step_by(TILE) {
            let values = &mut values[..TILE.min(length - at)];
            x.load(start + at, values);
            y.store(at, values);
        }
    }
}
