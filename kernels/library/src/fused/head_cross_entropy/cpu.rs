//! Rows, then columns, spread over the pool; matrix products by packed register tiles.

use super::Attributes;
use crate::ops::cross_entropy::cpu::{Partial, gradient, partial, reduce, row_terms};
use crate::ops::cross_entropy::{COLUMNS, UNCOUNTED};
use crate::ops::matmul::{Arithmetic, widened};
use crate::room::Call;
use crate::tensor::{Dtype, FloatsMut};
use numerics::gemm::{Finish, Start, View};
use numerics::simd::Level;
use numerics::vectorised;
use std::borrow::Cow;

/// Rows of one task: enough to pay for packing a block of the weights again in each.
const TASK_ROWS: usize = 128;
/// Columns of one task of `dw`.
const TASK_COLUMNS: usize = 128;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, Arithmetic::Chain);
}

pub(crate) fn forward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let [x, w, targets, _] = call.inputs else { unreachable!("head_cross_entropy has four inputs") };
    let (positions, width, columns) = (x.shape()[1], x.shape()[2], w.shape()[0]);
    let (x, w, targets) =
        (widened(call.context, x.floats()), widened(call.context, w.floats()), targets.typed::<u32>());
    let w = View::row_major(&w, columns, width);
    let level = call.context.level;
    let mut terms = vec![[0.0; 3]; targets.len()];
    let tasks = terms.chunks_mut(TASK_ROWS).zip(targets.chunks(TASK_ROWS)).zip(x.chunks(TASK_ROWS * width));
    call.context.pool.run(tasks.collect(), |_, ((terms, targets), x)| {
        let rows = targets.len();
        let x = View::row_major(x, rows, width);
        let blocks = columns.div_ceil(COLUMNS);
        let mut partials: Vec<Partial> = vec![(0.0, 0.0); rows * blocks];
        let mut target_logits = vec![f32::NAN; rows];
        let mut logits = vec![0.0; rows * columns.min(COLUMNS)];
        for block in 0..blocks {
            let first = block * COLUMNS;
            let count = COLUMNS.min(columns - first);
            let logits = &mut logits[..rows * count];
            let w = w.rows_at(first, count).transpose();
            arithmetic.tiled(level, x, w, FloatsMut::F32(logits));
            for (row, logits) in logits.chunks(count).enumerate() {
                partials[row * blocks + block] = partial(level, logits);
                if let Some(logit) = within(targets[row], first, count) {
                    target_logits[row] = logits[logit];
                }
            }
        }
        for (row, terms) in terms.iter_mut().enumerate() {
            if targets[row] != UNCOUNTED {
                *terms = row_terms(&partials[row * blocks..][..blocks], target_logits[row]);
            }
        }
    });
    reduce(call, &terms, positions);
}

/// Where the target lies in a block of columns, if it does.
fn within(target: u32, first: usize, count: usize) -> Option<usize> {
    (target as usize).checked_sub(first).filter(|column| *column < count)
}

/// Shapes and operands of a backward call, widened.
struct Backward<'a> {
    arithmetic: Arithmetic,
    level: Level,
    width: usize,
    x: Cow<'a, [f32]>,
    w: Cow<'a, [f32]>,
    targets: &'a [u32],
    lse: &'a [f32],
    weights: [f32; 2],
    dlogits: Dtype,
}

pub fn backward(call: &mut Call<'_, '_>) {
    let Attributes { second, .. } = call.attributes();
    backward_by(call, Arithmetic::Chain, second.output);
}

/// `dlogits` is the dtype in which the products read the gradients of the logits.
pub(crate) fn backward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic, dlogits: Dtype) {
    let [x, w, targets, lse, weights] = call.inputs else { unreachable!("five inputs") };
    let (units, positions, width, columns) = (x.shape()[0], x.shape()[1], x.shape()[2], w.shape()[0]);
    let operands = Backward {
        arithmetic,
        level: call.context.level,
        width,
        x: widened(call.context, x.floats()),
        w: widened(call.context, w.floats()),
        targets: targets.typed(),
        lse: lse.f32(),
        weights: [weights.f32()[0], weights.f32()[1]],
        dlogits,
    };
    let pool = &call.context.pool;
    let [dx, dw] = call.outputs else { unreachable!("two outputs") };
    let dw = dw.reborrow().into_typed::<f32>();
    let rows = units * positions;
    let mut accumulators = vec![0.0; rows * width];
    let mut dlogits = vec![0.0; rows * columns.min(COLUMNS)];
    for first in (0..columns).step_by(COLUMNS) {
        let count = COLUMNS.min(columns - first);
        let dlogits = &mut dlogits[..rows * count];
        let tasks = dlogits.chunks_mut(TASK_ROWS * count).zip(accumulators.chunks_mut(TASK_ROWS * width));
        pool.run(tasks.collect(), |task, (dlogits, dx)| {
            operands.block_rows(task * TASK_ROWS, (first, count), dlogits, dx);
        });
        let tasks = unit_columns(dw, units, columns, (first, count), width);
        pool.run(tasks, |_, (unit, column, dw)| {
            operands.block_columns(unit * positions, positions, (column, count), dlogits, dw);
        });
    }
    dx.reborrow().into_floats().store(0, &accumulators);
}

/// The pieces of `dw` that belong to a block of columns: unit, first column in the block, values.
fn unit_columns(
    dw: &mut [f32],
    units: usize,
    columns: usize,
    (first, count): (usize, usize),
    width: usize,
) -> Vec<(usize, usize, &mut [f32])> {
    let mut tasks = Vec::with_capacity(units * count.div_ceil(TASK_COLUMNS));
    for (unit, dw) in dw.chunks_mut(columns * width).enumerate() {
        let block = &mut dw[first * width..(first + count) * width];
        for (task, piece) in block.chunks_mut(TASK_COLUMNS * width).enumerate() {
            tasks.push((unit, task * TASK_COLUMNS, piece));
        }
    }
    tasks
}

vectorised! {
    /// Rounds gradients of logits to the dtype in which the products read them.
    fn round<'a>(dtype: Dtype, values: &'a mut [f32]) {
        dtype.round(values);
    }
}

impl Backward<'_> {
    /// dlogits of some rows in one block of columns, and what the block adds to the chains of their dx.
    fn block_rows(&self, row: usize, (first, count): (usize, usize), dlogits: &mut [f32], dx: &mut [f32]) {
        let (rows, columns) = (dlogits.len() / count, self.w.len() / self.width);
        let x = View::row_major(&self.x[row * self.width..][..rows * self.width], rows, self.width);
        let w = View::row_major(&self.w, columns, self.width).rows_at(first, count);
        let mut logits = vec![0.0; rows * count];
        self.arithmetic.tiled(self.level, x, w.transpose(), FloatsMut::F32(&mut logits));
        for (local, (logits, out)) in logits.chunks(count).zip(dlogits.chunks_mut(count)).enumerate() {
            let target = self.targets[row + local];
            if target == UNCOUNTED {
                out.fill(0.0);
                continue;
            }
            let column = within(target, first, count);
            gradient(self.level, logits, self.lse[row + local], self.weights, column, out);
        }
        round(self.level, self.dlogits, dlogits);
        let start = if first == 0 { Start::Zero } else { Start::Accumulator };
        let finish = if first + count == columns { Finish::Closed } else { Finish::Open };
        let dlogits = View::row_major(dlogits, rows, count);
        self.arithmetic.rows(self.level, dlogits, w, dx, (start, finish));
    }

    /// dw of some columns of one unit, whose rows start at `row`.
    fn block_columns(
        &self,
        row: usize,
        positions: usize,
        (column, count): (usize, usize),
        dlogits: &[f32],
        dw: &mut [f32],
    ) {
        let columns = dw.len() / self.width;
        let x = View::row_major(&self.x[row * self.width..][..positions * self.width], positions, self.width);
        let dlogits = View::row_major(&dlogits[row * count..][..positions * count], positions, count);
        let dlogits = dlogits.cols_at(column, columns).transpose();
        self.arithmetic.tiled(self.level, dlogits, x, FloatsMut::F32(dw));
    }
}
