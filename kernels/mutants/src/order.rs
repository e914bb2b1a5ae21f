//! Sums in the order in which tasks end, behind a lock: no two bytes are torn, and still no two runs need be equal.

use library::room::Call;
use numerics::math::{exp, log};
use std::sync::Mutex;

const UNLOCKED: &str = "no task panics while it holds the lock";

/// Positions that one task adds to the table.
const POSITIONS: usize = 4;

/// Adds each position's gradient to the table as its task ends.
pub fn embedding_backward(call: &mut Call<'_, '_>) {
    let [_, vocabulary, width] = call.outputs[0].spec.shape[..] else { unreachable!("dtable has three axes") };
    let (tokens, dy) = (call.inputs[0].typed::<u32>(), call.inputs[1].floats());
    let positions = call.inputs[0].shape()[1];
    let table = call.outputs[0].reborrow().into_typed::<f32>();
    table.fill(0.0);
    let table = Mutex::new(table);
    let tasks: Vec<&[u32]> = tokens.chunks(POSITIONS).collect();
    crate::activated(u64::from(tasks.len() > 1));
    call.context.pool.run(tasks, |task, chunk| {
        for (offset, token) in chunk.iter().enumerate() {
            let at = task * POSITIONS + offset;
            if *token as usize >= vocabulary {
                continue;
            }
            let start = (at / positions * vocabulary + *token as usize) * width;
            let mut table = table.lock().expect(UNLOCKED);
            for column in 0..width {
                table[start + column] += dy.get(at * width + column);
            }
        }
    });
}

/// Columns of one partial of a logsumexp.
const COLUMNS: usize = 16;

/// Joins the partial sums of a row's logsumexp as their tasks end.
pub fn cross_entropy(call: &mut Call<'_, '_>) {
    let [units, positions, columns] = *call.inputs[0].shape() else { unreachable!("logits have three axes") };
    let (logits, targets) = (call.inputs[0].f32(), call.inputs[1].typed::<u32>());
    let rows: Vec<Mutex<(f32, f32)>> = targets.iter().map(|_| Mutex::new((f32::NEG_INFINITY, 0.0))).collect();
    let starts = (0..columns).step_by(COLUMNS);
    let tasks: Vec<(usize, usize)> =
        (0..rows.len()).flat_map(|row| starts.clone().map(move |first| (row, first))).collect();
    crate::activated(u64::from(columns > COLUMNS && !rows.is_empty()));
    call.context.pool.run(tasks, |_, (row, first)| {
        let block = &logits[row * columns..][first..columns.min(first + COLUMNS)];
        let max = block.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum = block.iter().fold(0.0, |sum, x| sum + exp(x - max));
        let mut joined = rows[row].lock().expect(UNLOCKED);
        let larger = joined.0.max(max);
        let scaled = |(max, sum): (f32, f32)| if sum == 0.0 { 0.0 } else { sum * exp(max - larger) };
        *joined = (larger, scaled(*joined) + scaled((max, sum)));
    });
    let [loss, z, lse] = call.outputs else { unreachable!("cross_entropy has three outputs") };
    let (mut loss, mut z) = (loss.reborrow().into_floats(), z.reborrow().into_floats());
    let mut lse = lse.reborrow().into_floats();
    for unit in 0..units {
        let (mut losses, mut squares) = (0.0, 0.0);
        for at in unit * positions..(unit + 1) * positions {
            let (max, sum) = *rows[at].lock().expect(UNLOCKED);
            let counted = targets[at] != u32::MAX;
            let value = if counted { max + log(sum) } else { 0.0 };
            lse.set(at, value);
            if counted {
                let target = targets[at] as usize;
                losses += value - if target < columns { logits[at * columns + target] } else { f32::NAN };
                squares += value * value;
            }
        }
        loss.set(unit, losses);
        z.set(unit, squares);
    }
}
