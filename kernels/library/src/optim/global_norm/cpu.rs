//! Groups of blocks spread over the pool; each block writes a slot of its own.

use super::BLOCK;
use crate::room::Call;
use numerics::{sum, vectorised};

/// Blocks of one task.
const TASK_BLOCKS: usize = 8;

const EXPONENT: u32 = 0x7F80_0000;

vectorised! {
    /// Sum of squares of a block, and whether an exponent in it is all ones.
    fn block<'a>(g: &'a [f32]) -> (f32, u32) {
        let mut nonfinite = 0;
        for g in g {
            nonfinite |= u32::from(g.to_bits() & EXPONENT == EXPONENT);
        }
        (sum::lanes32_squares(g), nonfinite)
    }
}

pub fn squares(call: &mut Call<'_, '_>) {
    let g = call.inputs[0].f32();
    let level = call.context.level;
    let mut slots = vec![(0.0, 0); g.len().div_ceil(BLOCK)];
    let tasks = slots.chunks_mut(TASK_BLOCKS).zip(g.chunks(TASK_BLOCKS * BLOCK)).collect();
    call.context.pool.run(tasks, |_, (slots, g): (&mut [(f32, u32)], &[f32])| {
        for (slot, g) in slots.iter_mut().zip(g.chunks(BLOCK)) {
            *slot = block(level, g);
        }
    });
    let [squares, nonfinite] = call.outputs else { unreachable!("two outputs") };
    squares.reborrow().into_floats().set(0, sum::tree_of(slots.iter().map(|slot| slot.0)));
    nonfinite.reborrow().into_typed::<u32>()[0] = slots.iter().fold(0, |any, slot| any | slot.1);
}
