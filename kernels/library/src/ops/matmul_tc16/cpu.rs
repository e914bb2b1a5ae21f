//! The tasks of `matmul`, with the arithmetic of tensor cores.

use crate::ops::matmul::{Arithmetic, dgrad_by, forward_by, wgrad_by};
use crate::room::Call;

fn arithmetic(call: &Call<'_, '_>) -> Arithmetic {
    let format = call.inputs[0].spec.dtype.tensor_core_format();
    Arithmetic::TensorCore(format.expect("infer has accepted the dtype"))
}

pub fn forward(call: &mut Call<'_, '_>) {
    forward_by(call, arithmetic(call));
}

pub fn dgrad(call: &mut Call<'_, '_>) {
    dgrad_by(call, arithmetic(call));
}

pub fn wgrad(call: &mut Call<'_, '_>) {
    wgrad_by(call, arithmetic(call));
}
