//! Pieces spread over the pool; within a piece, tiles of random words, one Philox block for four elements.

use super::Attributes;
use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};
use numerics::philox::Stream;

/// Elements of one task: enough to pay for its start.
const TASK: usize = 8 * 1024;
/// Elements of one tile.
const TILE: usize = 256;

/// What decides over an element.
#[derive(Clone, Copy)]
struct Mask {
    stream: Stream,
    /// Logical index of the tensor's first element.
    first: u64,
    /// Words below it drop.
    threshold: u32,
    scale: f32,
}

pub fn apply(call: &mut Call<'_, '_>) {
    let Attributes { seed, stream, probability } = call.attributes();
    let [step, first_unit] = call.inputs[1].typed::<u64>() else { unreachable!("position has two elements") };
    let unit: usize = call.inputs[0].shape()[1..].iter().product();
    let p = f64::from(probability);
    let mask = Mask {
        stream: Stream { seed, step: *step as u32, stream },
        first: first_unit.wrapping_mul(unit as u64),
        threshold: (p * 4_294_967_296.0).floor() as u32,
        scale: (1.0 / (1.0 - p)) as f32,
    };
    let (x, level) = (call.inputs[0].floats(), call.context.level);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, y| {
        let start = task * TASK;
        drop(level, x, start, TASK.min(x.len() - start), mask, y);
    });
}

numerics::vectorised! {
    fn drop<'a>(x: Floats<'a>, start: usize, length: usize, mask: Mask, y: FloatsMut<'a>) {
        let mut y = y;
        let Mask { stream, first, threshold, scale } = mask;
        let (mut values, mut words) = ([0.0; TILE], [0; TILE]);
        for at in (0..length).step_by(TILE) {
            let tile = TILE.min(length - at);
            let (values, words) = (&mut values[..tile], &mut words[..tile]);
            x.load(start + at, values);
            stream.fill_words(first.wrapping_add((start + at) as u64), words);
            for (value, word) in values.iter_mut().zip(&*words) {
                *value = if *word >= threshold { *value * scale } else { 0.0 };
            }
            y.store(at, values);
        }
    }
}
