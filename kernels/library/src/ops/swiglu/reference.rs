//! The bits of the contract, as plainly as they can be written.

use crate::room::Call;
use numerics::math::activation::{silu, silu_grad};

pub fn forward(call: &mut Call<'_, '_>) {
    let width = call.outputs[0].spec.shape[2];
    let gate_up = call.inputs[0].floats();
    let mut h = call.outputs[0].reborrow().into_floats();
    for row in 0..gate_up.len() / (2 * width) {
        for column in 0..width {
            let gate = gate_up.get(row * 2 * width + column);
            let up = gate_up.get(row * 2 * width + width + column);
            h.set(row * width + column, silu(gate) * up);
        }
    }
}

pub fn backward(call: &mut Call<'_, '_>) {
    let width = call.inputs[1].shape()[2];
    let (gate_up, dh) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut dgate_up = call.outputs[0].reborrow().into_floats();
    for row in 0..gate_up.len() / (2 * width) {
        for column in 0..width {
            let (gate_at, up_at) = (row * 2 * width + column, row * 2 * width + width + column);
            let (gate, up, dh) = (gate_up.get(gate_at), gate_up.get(up_at), dh.get(row * width + column));
            dgate_up.set(gate_at, dh * up * silu_grad(gate));
            dgate_up.set(up_at, dh * silu(gate));
        }
    }
}
