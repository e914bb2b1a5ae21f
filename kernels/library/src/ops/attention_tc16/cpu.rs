//! The tasks and tiles of `attention`, with the arithmetic of tensor cores.

use crate::ops::attention::{backward_by, forward_by};
use crate::ops::matmul::Arithmetic;
use crate::room::Call;
use numerics::tensor_core::Format;

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, Arithmetic::TensorCore(Format::Bf16));
}

pub fn backward(call: &mut Call<'_, '_>) {
    backward_by(call, Arithmetic::TensorCore(Format::Bf16));
}
