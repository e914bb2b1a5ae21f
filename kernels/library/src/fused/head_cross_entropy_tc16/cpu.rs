//! The tasks of `head_cross_entropy`, with the arithmetic of tensor cores.

use crate::fused::head_cross_entropy::cpu::{backward_by, forward_by};
use crate::ops::matmul::Arithmetic;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let arithmetic = Arithmetic::of_tensor_core(call.inputs[0].spec.dtype);
    forward_by(call, arithmetic);
}

pub fn backward(call: &mut Call<'_, '_>) {
    let operand = call.inputs[0].spec.dtype;
    backward_by(call, Arithmetic::of_tensor_core(operand), operand);
}
