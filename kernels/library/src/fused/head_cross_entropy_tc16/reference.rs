//! The reference of `head_cross_entropy`, with one step of a tensor core after the other.

use crate::fused::head_cross_entropy::reference::{backward_by, forward_by};
use crate::ops::matmul_tc16::dot;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let operand = call.inputs[0].spec.dtype;
    forward_by(call, |a, b| dot(operand, a, b));
}

pub fn backward(call: &mut Call<'_, '_>) {
    let operand = call.inputs[0].spec.dtype;
    backward_by(call, operand, |a, b| dot(operand, a, b));
}
