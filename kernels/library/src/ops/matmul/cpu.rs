//! Tiled products. A task owns rows of the output; where rows are few it owns columns, so that every worker has some.
//!
//! Each task packs the operand that all tasks share, so a side is cut into few pieces. Pieces depend on the shape alone.

use super::arithmetic::Arithmetic;
use crate::context::Context;
use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};
use numerics::gemm::View;
use std::borrow::Cow;

/// Pieces that a side is cut into, unless they would be too long or too short.
const PIECES: usize = 4;
/// A longer piece gains nothing: the shared operand is packed once for this many rows.
const LONGEST_PIECE: usize = 256;
/// Piece lengths are multiples of this: no register tile is wider.
const GRAIN: usize = 32;
/// Elements that one task widens.
const WIDEN: usize = 1 << 16;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, Arithmetic::Chain);
}

pub(crate) fn forward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let [units, rows, k] = call.inputs[0].shape() else { unreachable!("x has three axes") };
    let (rows, n) = (units * rows, call.inputs[1].shape()[0]);
    let x = widened(call.context, call.inputs[0].floats());
    let w = widened(call.context, call.inputs[1].floats());
    let (x, w) = (View::row_major(&x, rows, *k), View::row_major(&w, n, *k));
    product(call.context, arithmetic, x, w.transpose(), call.outputs[0].reborrow().into_floats());
}

pub fn dgrad(call: &mut Call<'_, '_>) {
    dgrad_by(call, Arithmetic::Chain);
}

pub(crate) fn dgrad_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (rows, k) = (units * rows, call.inputs[1].shape()[1]);
    let dy = widened(call.context, call.inputs[0].floats());
    let w = widened(call.context, call.inputs[1].floats());
    let (dy, w) = (View::row_major(&dy, rows, *n), View::row_major(&w, *n, k));
    product(call.context, arithmetic, dy, w, call.outputs[0].reborrow().into_floats());
}

pub fn wgrad(call: &mut Call<'_, '_>) {
    wgrad_by(call, Arithmetic::Chain);
}

pub(crate) fn wgrad_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (units, rows, n, k) = (*units, *rows, *n, call.inputs[1].shape()[2]);
    let dy = widened(call.context, call.inputs[0].floats());
    let x = widened(call.context, call.inputs[1].floats());
    let operands = |unit: usize| {
        let dy = View::row_major(&dy[unit * rows * n..][..rows * n], rows, n);
        (dy.transpose(), View::row_major(&x[unit * rows * k..][..rows * k], rows, k))
    };
    products(call.context, arithmetic, [units, n, k], operands, call.outputs[0].reborrow().into_floats());
}

/// C = A·B for each of `count` pairs; `out` holds one product of `rows` by `cols` after the other.
pub(crate) fn products<'a>(
    context: &Context,
    arithmetic: Arithmetic,
    [count, rows, cols]: [usize; 3],
    operands: impl Fn(usize) -> (View<'a>, View<'a>) + Sync,
    out: FloatsMut<'_>,
) {
    let piece = rows.div_ceil(PIECES.div_ceil(count.max(1))).next_multiple_of(GRAIN);
    let mut tasks = Vec::new();
    for (at, product) in out.chunks(rows * cols).into_iter().enumerate() {
        tasks.extend(product.chunks(piece * cols).into_iter().enumerate().map(|(task, out)| (at, task * piece, out)));
    }
    context.pool.run(tasks, |_, (at, first, out)| {
        let (a, b) = operands(at);
        arithmetic.tiled(context.level, a.rows_at(first, piece.min(rows - first)), b, out);
    });
}

/// C = A·B. `out` holds the rows of A by the columns of B.
fn product(context: &Context, arithmetic: Arithmetic, a: View<'_>, b: View<'_>, out: FloatsMut<'_>) {
    if a.rows() < b.cols() && a.rows() < PIECES * GRAIN {
        by_columns(context, arithmetic, a, b, out);
    } else {
        let piece = piece(a.rows());
        context.pool.run(out.chunks(piece * b.cols()), |task, out| {
            let count = piece.min(a.rows() - task * piece);
            arithmetic.tiled(context.level, a.rows_at(task * piece, count), b, out);
        });
    }
}

/// Columns of C that a task owns are not contiguous: tasks fill matrices of their own, which are copied afterwards.
fn by_columns(context: &Context, arithmetic: Arithmetic, a: View<'_>, b: View<'_>, out: FloatsMut<'_>) {
    let (rows, cols, piece) = (a.rows(), b.cols(), piece(b.cols()));
    let count = |task: usize| piece.min(cols - task * piece);
    let mut parts: Vec<Vec<f32>> = (0..cols.div_ceil(piece.max(1))).map(|task| vec![0.0; rows * count(task)]).collect();
    context.pool.run(parts.iter_mut().collect(), |task, part: &mut Vec<f32>| {
        arithmetic.tiled(context.level, a, b.cols_at(task * piece, count(task)), FloatsMut::F32(part));
    });
    context.pool.run(out.chunks(GRAIN * cols), |task, mut out| {
        for row in 0..GRAIN.min(rows - task * GRAIN) {
            for (at, part) in parts.iter().enumerate() {
                let from = &part[(task * GRAIN + row) * count(at)..][..count(at)];
                out.store(row * cols + at * piece, from);
            }
        }
    });
}

/// Rows or columns of one task.
pub(crate) fn piece(side: usize) -> usize {
    side.div_ceil(PIECES).next_multiple_of(GRAIN).min(LONGEST_PIECE)
}

/// The values in f32: borrowed where they are, else widened by the pool.
pub(crate) fn widened<'a>(context: &Context, values: Floats<'a>) -> Cow<'a, [f32]> {
    match values {
        Floats::F32(values) => Cow::Borrowed(values),
        Floats::Bf16(_) | Floats::Fp16(_) => {
            let mut wide = vec![0.0; values.len()];
            context.pool.run(wide.chunks_mut(WIDEN).collect(), |task, wide| values.load(task * WIDEN, wide));
            Cow::Owned(wide)
        }
    }
}
