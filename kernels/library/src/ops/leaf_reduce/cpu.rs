//! Pieces spread over the pool. Since the number of leaves is a power of two, the tree folds in place: level by level,
//! the sums of pairs take the first half of the rows.

use super::{Attributes, Wire};
use crate::room::Call;
use crate::tensor::FloatsMut;
use numerics::format::{bf16_from_f32, bf16_to_f32};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 8 * 1024;
/// Elements of one tile: rows of all leaves stay in the first cache.
const TILE: usize = 128;

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { wire } = call.attributes();
    let (leaves, count) = (call.inputs[0].f32(), call.inputs[0].shape()[0]);
    let (elements, level) = (leaves.len() / count, call.context.level);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(TASK);
    call.context.pool.run(pieces, |task, out| {
        let start = task * TASK;
        let length = TASK.min(elements - start);
        fold(level, leaves, elements, start, length, wire == Wire::Bf16Leaf, out);
    });
}

numerics::vectorised! {
    fn fold<'a>(
        leaves: &'a [f32],
        elements: usize,
        start: usize,
        length: usize,
        narrow: bool,
        out: FloatsMut<'a>,
    ) {
        let mut out = out;
        let mut rows = vec![[0.0_f32; TILE]; leaves.len() / elements];
        for at in (0..length).step_by(TILE) {
            let tile = TILE.min(length - at);
            for (leaf, row) in rows.iter_mut().enumerate() {
                row[..tile].copy_from_slice(&leaves[leaf * elements + start + at..][..tile]);
                if narrow {
                    for value in row.iter_mut() {
                        *value = bf16_to_f32(bf16_from_f32(*value));
                    }
                }
            }
            let mut count = rows.len();
            while count > 1 {
                count /= 2;
                for pair in 0..count {
                    let right = rows[2 * pair + 1];
                    let mut sum = rows[2 * pair];
                    for (sum, right) in sum.iter_mut().zip(&right) {
                        *sum += *right;
                    }
                    rows[pair] = sum;
                }
            }
            out.store(at, &rows[0][..tile]);
        }
    }
}
