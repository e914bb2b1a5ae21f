//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use crate::room::Call;
use crate::tensor::Dtype;
use numerics::format::{bf16_from_f32, bf16_to_f32};
use numerics::math::activation::silu;

pub fn forward(call: &mut Call<'_, '_>) {
    let [n, width] = call.inputs[1].shape() else { unreachable!("w has two axes") };
    let bf16 = call.inputs[0].spec.dtype == Dtype::Bf16;
    let (gate_up, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let [h, y] = call.outputs else { unreachable!("swiglu_matmul has two outputs") };
    let (mut h, mut y) = (h.reborrow().into_floats(), y.reborrow().into_floats());
    for row in 0..gate_up.len() / (2 * width) {
        let mut stored = vec![0.0; *width];
        for (column, stored) in stored.iter_mut().enumerate() {
            let (gate, up) = (2 * row * width + column, (2 * row + 1) * width + column);
            let value = silu(gate_up.get(gate)) * gate_up.get(up);
            *stored = if bf16 { bf16_to_f32(bf16_from_f32(value)) } else { value };
            h.set(row * width + column, value);
        }
        for column in 0..*n {
            let mut accumulator = 0.0;
            for (term, h) in stored.iter().enumerate() {
                accumulator = h.mul_add(w.get(column * width + term), accumulator);
            }
            y.set(row * n + column, accumulator + 0.0);
        }
    }
}
