//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use super::{COLUMNS, UNCOUNTED};
use crate::room::Call;
use numerics::format;
use numerics::math::{exp, log};
use numerics::sum;

pub fn forward(call: &mut Call<'_, '_>) {
    let [logits, targets, _] = call.inputs else { unreachable!("cross_entropy has three inputs") };
    let [units, positions, columns] = logits.shape() else { unreachable!("logits have three axes") };
    let (logits, targets) = (logits.f32(), targets.typed::<u32>());
    let [loss, z, lse] = call.outputs else { unreachable!("cross_entropy has three outputs") };
    let (mut loss, mut z) = (loss.reborrow().into_floats(), z.reborrow().into_floats());
    let mut lse = lse.reborrow().into_floats();
    for unit in 0..*units {
        let (mut losses, mut squares) = (vec![0.0; *positions], vec![0.0; *positions]);
        for position in 0..*positions {
            let at = unit * positions + position;
            let row = &logits[at * columns..][..*columns];
            if targets[at] == UNCOUNTED {
                lse.set(at, 0.0);
                continue;
            }
            let value = logsumexp(row);
            lse.set(at, value);
            losses[position] = value - row.get(targets[at] as usize).copied().unwrap_or(f32::NAN);
            squares[position] = value * value;
        }
        loss.set(unit, sum::blocked(&losses));
        z.set(unit, sum::blocked(&squares));
    }
}

/// log Σ exp of a row.
pub(crate) fn logsumexp(row: &[f32]) -> f32 {
    let maxima: Vec<f32> = row.chunks(COLUMNS).map(largest).collect();
    let mut sums = Vec::new();
    for (block, max) in row.chunks(COLUMNS).zip(&maxima) {
        let terms: Vec<f32> = block.iter().map(|x| exp(x - max)).collect();
        sums.push(sum::lanes32(&terms));
    }
    let max = largest(&maxima);
    for (sum, block_max) in sums.iter_mut().zip(&maxima) {
        *sum *= exp(block_max - max);
    }
    max + log(sum::tree(&mut sums))
}

fn largest(values: &[f32]) -> f32 {
    values.iter().copied().reduce(format::max).expect("a block has a column")
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [logits, targets, lse, weights] = call.inputs else { unreachable!("four inputs") };
    let columns = logits.shape()[2];
    let (logits, targets, lse) = (logits.f32(), targets.typed::<u32>(), lse.f32());
    let (w, wz) = (weights.f32()[0], weights.f32()[1]);
    let mut dlogits = call.outputs[0].reborrow().into_floats();
    for (row, target) in targets.iter().enumerate() {
        for column in 0..columns {
            let at = row * columns + column;
            if *target == UNCOUNTED {
                dlogits.set(at, 0.0);
                continue;
            }
            let p = exp(logits[at] - lse[row]);
            let onehot = if *target as usize == column { 1.0 } else { 0.0 };
            let t = w * (p - onehot);
            dlogits.set(at, if wz == 0.0 { t } else { t + wz * lse[row] * p });
        }
    }
}
