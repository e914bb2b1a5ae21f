//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use super::Attributes;
use crate::ops::cross_entropy::{UNCOUNTED, logsumexp};
use crate::room::Call;
use crate::tensor::{Dtype, Floats};
use numerics::math::exp;
use numerics::sum;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, sum::chain);
}

/// `dot` is what one element of a product is.
pub(crate) fn forward_by(call: &mut Call<'_, '_>, dot: impl Fn(&[f32], &[f32]) -> f32) {
    let [x, w, targets, _] = call.inputs else { unreachable!("head_cross_entropy has four inputs") };
    let (units, positions, width) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    let (x, w, targets) = (x.floats(), w.floats(), targets.typed::<u32>());
    let [loss, z, lse] = call.outputs else { unreachable!("head_cross_entropy has three outputs") };
    let (mut loss, mut z) = (loss.reborrow().into_floats(), z.reborrow().into_floats());
    let mut lse = lse.reborrow().into_floats();
    for unit in 0..units {
        let (mut losses, mut squares) = (vec![0.0; positions], vec![0.0; positions]);
        for position in 0..positions {
            let at = unit * positions + position;
            if targets[at] == UNCOUNTED {
                lse.set(at, 0.0);
                continue;
            }
            let logits = logits(&row(x, at, width), w, &dot);
            let value = logsumexp(&logits);
            lse.set(at, value);
            losses[position] = value - logits.get(targets[at] as usize).copied().unwrap_or(f32::NAN);
            squares[position] = value * value;
        }
        loss.set(unit, sum::blocked(&losses));
        z.set(unit, sum::blocked(&squares));
    }
}

pub fn backward(call: &mut Call<'_, '_>) {
    let Attributes { second, .. } = call.attributes();
    backward_by(call, second.output, sum::chain);
}

/// `stored` is the dtype in which the products read the gradients of the logits.
pub(crate) fn backward_by(call: &mut Call<'_, '_>, stored: Dtype, dot: impl Fn(&[f32], &[f32]) -> f32) {
    let [x, w, targets, lse, weights] = call.inputs else { unreachable!("five inputs") };
    let (units, positions, width) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    let columns = w.shape()[0];
    let (x, w, targets, lse) = (x.floats(), w.floats(), targets.typed::<u32>(), lse.f32());
    let (weight, wz) = (weights.f32()[0], weights.f32()[1]);
    let [dx, dw] = call.outputs else { unreachable!("two outputs") };
    let (mut dx, mut dw) = (dx.reborrow().into_floats(), dw.reborrow().into_floats());
    for unit in 0..units {
        let mut dlogits = Vec::new();
        for at in unit * positions..(unit + 1) * positions {
            for (column, logit) in logits(&row(x, at, width), w, &dot).into_iter().enumerate() {
                let p = exp(logit - lse[at]);
                let onehot = if targets[at] as usize == column { 1.0 } else { 0.0 };
                let t = weight * (p - onehot);
                let dlogit = if wz == 0.0 { t } else { t + wz * lse[at] * p };
                let counted = if targets[at] == UNCOUNTED { 0.0 } else { dlogit };
                dlogits.push(stored.rounded(counted));
            }
        }
        for position in 0..positions {
            for channel in 0..width {
                let row = &dlogits[position * columns..][..columns];
                let down: Vec<f32> = (0..columns).map(|column| w.get(column * width + channel)).collect();
                dx.set((unit * positions + position) * width + channel, dot(row, &down));
            }
        }
        for column in 0..columns {
            for channel in 0..width {
                let at = |position: usize| x.get((unit * positions + position) * width + channel);
                let down: Vec<f32> = (0..positions).map(|position| dlogits[position * columns + column]).collect();
                let x: Vec<f32> = (0..positions).map(at).collect();
                dw.set((unit * columns + column) * width + channel, dot(&down, &x));
            }
        }
    }
}

fn row(values: Floats<'_>, index: usize, width: usize) -> Vec<f32> {
    let mut row = vec![0.0; width];
    values.load(index * width, &mut row);
    row
}

fn logits(x: &[f32], w: Floats<'_>, dot: impl Fn(&[f32], &[f32]) -> f32) -> Vec<f32> {
    (0..w.len() / x.len()).map(|column| dot(x, &row(w, column, x.len()))).collect()
}
