//! The tasks of `matmul`, with the arithmetic of tensor cores.

use super::batched::{Attributes, Sides};
use crate::ops::matmul::{Arithmetic, dgrad_by, forward_by, products, wgrad_by, widened};
use crate::room::Call;
use numerics::gemm::View;

fn arithmetic(call: &Call<'_, '_>) -> Arithmetic {
    Arithmetic::of_tensor_core(call.inputs[0].spec.dtype)
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

pub fn batched(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let sides = attributes.sides(call.inputs[0].shape(), call.inputs[1].shape());
    let Sides { batch, m, n, k } = sides.expect("infer has accepted the shapes");
    let a = widened(call.context, call.inputs[0].floats());
    let b = widened(call.context, call.inputs[1].floats());
    let operands = |at: usize| {
        let a = matrix(&a[at * m * k..][..m * k], (m, k), attributes.transpose_a);
        (a, matrix(&b[at * k * n..][..k * n], (k, n), attributes.transpose_b))
    };
    products(call.context, arithmetic(call), [batch, m, n], operands, call.outputs[0].reborrow().into_floats());
}

/// A matrix of these sides; `transposed`: stored column by column.
fn matrix(values: &[f32], (rows, cols): (usize, usize), transposed: bool) -> View<'_> {
    if transposed { View::row_major(values, cols, rows).transpose() } else { View::row_major(values, rows, cols) }
}
