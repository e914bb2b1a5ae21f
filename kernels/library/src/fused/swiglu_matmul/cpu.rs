//! A task owns some rows: it makes their h in f32, stores it, and multiplies it without reading it back.

use crate::ops::matmul::{Arithmetic, piece, widened};
use crate::room::Call;
use crate::tensor::{Dtype, Floats};
use numerics::gemm::View;
use numerics::math::activation::silu_slice;
use numerics::vectorised;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, Arithmetic::Chain);
}

pub(crate) fn forward_by(call: &mut Call<'_, '_>, arithmetic: Arithmetic) {
    let [n, width] = call.inputs[1].shape() else { unreachable!("w has two axes") };
    let (n, width, level) = (*n, *width, call.context.level);
    let dtype = call.inputs[0].spec.dtype;
    let gate_up = call.inputs[0].floats();
    let w = widened(call.context, call.inputs[1].floats());
    let w = View::row_major(&w, n, width);
    let [h, y] = call.outputs else { unreachable!("swiglu_matmul has two outputs") };
    let rows = gate_up.len() / (2 * width);
    let piece = piece(rows);
    let h = h.reborrow().into_floats().chunks(piece * width);
    // Without columns there is no piece of y, and still h to write.
    let y = y.reborrow().into_floats().chunks(piece * n).into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    call.context.pool.run(h.into_iter().zip(y).collect(), |task, (mut h, y)| {
        let count = piece.min(rows - task * piece);
        let mut values = vec![0.0; count * width];
        activate(level, gate_up, task * piece * width, width, dtype, &mut values);
        h.store(0, &values);
        if let Some(y) = y {
            arithmetic.tiled(level, View::row_major(&values, count, width), w.transpose(), y);
        }
    });
}

vectorised! {
    /// Fills whole rows of h, the first of which begins at element `start` of h, as the product reads them.
    fn activate<'a>(gate_up: Floats<'a>, start: usize, width: usize, dtype: Dtype, h: &'a mut [f32]) {
        let (mut gates, mut ups) = (vec![0.0; width], vec![0.0; width]);
        for (row, h) in h.chunks_exact_mut(width).enumerate() {
            let gate = 2 * (start + row * width);
            gate_up.load(gate, &mut gates);
            gate_up.load(gate + width, &mut ups);
            silu_slice(&gates, h);
            for (h, up) in h.iter_mut().zip(&ups) {
                *h *= up;
            }
            dtype.round(h);
        }
    }
}
