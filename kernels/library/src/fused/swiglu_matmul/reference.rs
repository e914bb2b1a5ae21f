//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use crate::room::Call;
use numerics::math::activation::silu;
use numerics::sum;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, sum::chain);
}

/// `dot` is what one element of the product is.
pub(crate) fn forward_by(call: &mut Call<'_, '_>, dot: impl Fn(&[f32], &[f32]) -> f32) {
    let [n, width] = call.inputs[1].shape() else { unreachable!("w has two axes") };
    let dtype = call.inputs[0].spec.dtype;
    let (gate_up, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let [h, y] = call.outputs else { unreachable!("swiglu_matmul has two outputs") };
    let (mut h, mut y) = (h.reborrow().into_floats(), y.reborrow().into_floats());
    for row in 0..gate_up.len() / (2 * width) {
        let mut stored = vec![0.0; *width];
        for (column, stored) in stored.iter_mut().enumerate() {
            let (gate, up) = (2 * row * width + column, (2 * row + 1) * width + column);
            let value = silu(gate_up.get(gate)) * gate_up.get(up);
            *stored = dtype.rounded(value);
            h.set(row * width + column, value);
        }
        for column in 0..*n {
            let mut weights = vec![0.0; *width];
            w.load(column * width, &mut weights);
            y.set(row * n + column, dot(&stored, &weights));
        }
    }
}
