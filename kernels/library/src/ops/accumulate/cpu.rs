//! Pieces of the leaves that the call touches, spread over the pool. A piece takes all units of its leaf in order, so
//! it is read and written while it lies in the cache.

use super::{Attributes, first_unit};
use crate::room::Call;
use numerics::format::canonicalise;

/// Elements of one task: a piece and the units' pieces stay in the second cache.
const TASK: usize = 16 * 1024;

/// One piece of a leaf.
struct Piece<'a> {
    /// Units of the call that belong to the leaf.
    units: std::ops::Range<usize>,
    /// Whether the first of them is the leaf's first.
    starts: bool,
    /// First element of the piece.
    at: usize,
    accumulators: &'a mut [f32],
}

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { units_per_leaf } = call.attributes();
    let first = first_unit(call, units_per_leaf);
    let units = call.inputs[0].shape()[0] as u64;
    let elements: usize = call.inputs[0].shape()[1..].iter().product();
    let unit = call.inputs[0].f32();
    let mut pieces = Vec::new();
    let leaves = call.outputs[0].reborrow().into_typed::<f32>();
    for (leaf, accumulators) in leaves.chunks_mut(elements.max(1)).enumerate() {
        let begin = (leaf as u64).saturating_mul(units_per_leaf);
        let (from, to) = (begin.max(first), begin.saturating_add(units_per_leaf).min(first + units));
        if from >= to {
            continue;
        }
        for (index, accumulators) in accumulators.chunks_mut(TASK).enumerate() {
            let units = (from - first) as usize..(to - first) as usize;
            pieces.push(Piece { units, starts: from == begin, at: index * TASK, accumulators });
        }
    }
    call.context.pool.run(pieces, |_, piece| {
        if piece.starts {
            piece.accumulators.fill(0.0);
        }
        for u in piece.units {
            let values = &unit[u * elements + piece.at..][..piece.accumulators.len()];
            for (accumulator, value) in piece.accumulators.iter_mut().zip(values) {
                *accumulator += *value;
            }
        }
        canonicalise(piece.accumulators);
    });
}
