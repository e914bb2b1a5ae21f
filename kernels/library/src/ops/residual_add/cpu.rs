//! Pieces spread over the pool; within a piece, tiles that are widened, added and rounded together.

use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 16 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

pub fn forward(call: &mut Call<'_, '_>) {
    let (x, a) = (call.inputs[0].floats(), call.inputs[1].floats());
    let level = call.context.level;
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, y| {
        let start = task * TASK;
        add(level, x, a, start, TASK.min(x.len() - start), y);
    });
}

numerics::vectorised! {
    fn add<'a>(x: Floats<'a>, a: Floats<'a>, start: usize, length: usize, y: FloatsMut<'a>) {
        let mut y = y;
        let (mut x_tile, mut a_tile) = ([0.0; TILE], [0.0; TILE]);
        for at in (0..length).step_by(TILE) {
            let tile = TILE.min(length - at);
            let (sum, other) = (&mut x_tile[..tile], &mut a_tile[..tile]);
            x.load(start + at, sum);
            a.load(start + at, other);
            for (sum, other) in sum.iter_mut().zip(&*other) {
                *sum += *other;
            }
            y.store(at, sum);
        }
    }
}
