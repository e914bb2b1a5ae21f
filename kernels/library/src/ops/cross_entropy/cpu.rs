//! Rows spread over the pool; within a row, loops over columns that vectorise.

use super::{COLUMNS, UNCOUNTED};
use crate::room::Call;
use numerics::math::{exp, exp_slice, log};
use numerics::sum::{Tree, blocked, lanes32};
use numerics::{format, vectorised};

/// Rows of one task.
const TASK_ROWS: usize = 16;

/// What the forward pass keeps of one block of columns: its maximum, and the sum of exponentials relative to it.
pub(crate) type Partial = (f32, f32);

vectorised! {
    /// The partial of one block of at most [`COLUMNS`] logits.
    pub(crate) fn partial<'a>(block: &'a [f32]) -> Partial {
        let max = format::max_of(block).expect("a block has a column");
        let (mut shifted, mut terms) = ([0.0; COLUMNS], [0.0; COLUMNS]);
        let (shifted, terms) = (&mut shifted[..block.len()], &mut terms[..block.len()]);
        for (shifted, x) in shifted.iter_mut().zip(block) {
            *shifted = x - max;
        }
        exp_slice(shifted, terms);
        (max, lanes32(terms))
    }

    /// Gradient of `logits`, whose target is column `target` of this slice, if any.
    pub(crate) fn gradient<'a>(logits: &'a [f32], lse: f32, weights: [f32; 2], target: Option<usize>, out: &'a mut [f32]) {
        let [w, wz] = weights;
        let mut shifted = [0.0; COLUMNS];
        for (logits, out) in logits.chunks(COLUMNS).zip(out.chunks_mut(COLUMNS)) {
            let shifted = &mut shifted[..logits.len()];
            for (shifted, x) in shifted.iter_mut().zip(logits) {
                *shifted = x - lse;
            }
            exp_slice(shifted, out);
        }
        let at_target = target.map(|target| (target, out[target]));
        // Away from the target p − 0 is p itself.
        if wz == 0.0 {
            for p in out.iter_mut() {
                *p *= w;
            }
        } else {
            let slope = wz * lse;
            for p in out.iter_mut() {
                *p = w * *p + slope * *p;
            }
        }
        if let Some((target, p)) = at_target {
            let t = w * (p - 1.0);
            out[target] = if wz == 0.0 { t } else { t + wz * lse * p };
        }
    }
}

/// log Σ exp of a row from the partials of its blocks, in ascending order.
pub(crate) fn combine(partials: &[Partial]) -> f32 {
    let max = partials.iter().map(|partial| partial.0).reduce(format::max).expect("a row has a block");
    let mut sum = Tree::new();
    for (block_max, block_sum) in partials {
        sum.push(block_sum * exp(block_max - max));
    }
    max + log(sum.total())
}

/// What one row adds to its unit's loss and z, and its lse.
pub(crate) fn row_terms(partials: &[Partial], target_logit: f32) -> [f32; 3] {
    let lse = combine(partials);
    [lse - target_logit, lse * lse, lse]
}

/// Adds each unit's terms: row after row [loss, square, lse].
pub(crate) fn reduce(call: &mut Call<'_, '_>, terms: &[[f32; 3]], positions: usize) {
    let [loss, z, lse] = call.outputs else { unreachable!("loss, z and lse") };
    let (mut loss, mut z) = (loss.reborrow().into_floats(), z.reborrow().into_floats());
    let mut lse = lse.reborrow().into_floats();
    let column = |rows: &[[f32; 3]], which: usize| -> Vec<f32> { rows.iter().map(|row| row[which]).collect() };
    lse.store(0, &column(terms, 2));
    for unit in 0..call.inputs[0].shape()[0] {
        let rows = &terms[unit * positions..][..positions];
        loss.set(unit, blocked(&column(rows, 0)));
        z.set(unit, blocked(&column(rows, 1)));
    }
}

pub fn forward(call: &mut Call<'_, '_>) {
    let (logits, targets) = (call.inputs[0].f32(), call.inputs[1].typed::<u32>());
    let [_, positions, columns] = call.inputs[0].shape() else { unreachable!("logits have three axes") };
    let level = call.context.level;
    let mut terms = vec![[0.0; 3]; targets.len()];
    let tasks: Vec<_> = terms.chunks_mut(TASK_ROWS).zip(targets.chunks(TASK_ROWS)).collect();
    call.context.pool.run(tasks, |task, (terms, targets)| {
        let mut partials = Vec::new();
        for (row, (terms, target)) in terms.iter_mut().zip(targets).enumerate() {
            if *target == UNCOUNTED {
                continue;
            }
            let row = &logits[(task * TASK_ROWS + row) * columns..][..*columns];
            partials.clear();
            partials.extend(row.chunks(COLUMNS).map(|block| partial(level, block)));
            *terms = row_terms(&partials, row.get(*target as usize).copied().unwrap_or(f32::NAN));
        }
    });
    reduce(call, &terms, *positions);
}

pub fn backward(call: &mut Call<'_, '_>) {
    let [logits, targets, lse, weights] = call.inputs else { unreachable!("four inputs") };
    let columns = logits.shape()[2];
    let (logits, targets, lse) = (logits.f32(), targets.typed::<u32>(), lse.f32());
    let weights = [weights.f32()[0], weights.f32()[1]];
    let level = call.context.level;
    let dlogits = call.outputs[0].reborrow().into_floats().chunks(TASK_ROWS * columns);
    call.context.pool.run(dlogits, |task, mut dlogits| {
        let mut gradients = vec![0.0; columns];
        for row in task * TASK_ROWS..targets.len().min((task + 1) * TASK_ROWS) {
            if targets[row] == UNCOUNTED {
                gradients.fill(0.0);
            } else {
                let target = Some(targets[row] as usize).filter(|target| *target < columns);
                gradient(level, &logits[row * columns..][..columns], lse[row], weights, target, &mut gradients);
            }
            dlogits.store((row - task * TASK_ROWS) * columns, &gradients);
        }
    });
}
