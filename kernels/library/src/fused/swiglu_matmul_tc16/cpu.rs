//! The tasks of `swiglu_matmul`, with the arithmetic of tensor cores.

use crate::fused::swiglu_matmul::cpu::forward_by;
use crate::ops::matmul::Arithmetic;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let arithmetic = Arithmetic::of_tensor_core(call.inputs[0].spec.dtype);
    forward_by(call, arithmetic);
}
