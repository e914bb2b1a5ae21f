//! Pieces spread over the pool; within a piece, tiles that stay in registers or the first cache while every
//! contribution is added.

use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 16 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

pub fn forward(call: &mut Call<'_, '_>) {
    let contributions: Vec<Floats<'_>> = call.inputs.iter().map(|view| view.floats()).collect();
    let (total, level) = (contributions[0].len(), call.context.level);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, sum| {
        let start = task * TASK;
        add(level, &contributions, start, TASK.min(total - start), sum);
    });
}

numerics::vectorised! {
    fn add<'a>(contributions: &'a [Floats<'a>], start: usize, length: usize, sum: FloatsMut<'a>) {
        let mut sum = sum;
        let (mut accumulators, mut others) = ([0.0; TILE], [0.0; TILE]);
        for at in (0..length).step_by(TILE) {
            let tile = TILE.min(length - at);
            let (accumulators, others) = (&mut accumulators[..tile], &mut others[..tile]);
            contributions[0].load(start + at, accumulators);
            for contribution in &contributions[1..] {
                contribution.load(start + at, others);
                for (accumulator, other) in accumulators.iter_mut().zip(&*others) {
                    *accumulator += *other;
                }
            }
            sum.store(at, accumulators);
        }
    }
}
