//! The tasks and tiles of `attention`, with the arithmetic of tensor cores.

use crate::ops::attention::{backward_by, forward_by};
use crate::ops::matmul::Arithmetic;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let arithmetic = Arithmetic::of_tensor_core(call.inputs[0].spec.dtype);
    forward_by(call, arithmetic);
}

pub fn backward(call: &mut Call<'_, '_>) {
    let arithmetic = Arithmetic::of_tensor_core(call.inputs[0].spec.dtype);
    backward_by(call, arithmetic);
}
