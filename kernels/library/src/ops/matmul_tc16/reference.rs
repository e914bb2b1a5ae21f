//! The bits of the contract, as plainly as they can be written: one thread, one step after the other.

use super::batched::{Attributes, Sides};
use crate::room::Call;
use crate::tensor::{Dtype, Floats};
use numerics::tensor_core::{Format, step};

pub fn forward(call: &mut Call<'_, '_>) {
    let [units, rows, k] = call.inputs[0].shape() else { unreachable!("x has three axes") };
    let (rows, k, n) = (units * rows, *k, call.inputs[1].shape()[0]);
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let (x, w) = (matrix(x, 0, (rows, k), (k, 1)), matrix(w, 0, (n, k), (k, 1)));
    products(call, 0, &x, &w);
}

pub fn dgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (rows, n, k) = (units * rows, *n, call.inputs[1].shape()[1]);
    let (dy, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let (dy, w) = (matrix(dy, 0, (rows, n), (n, 1)), matrix(w, 0, (k, n), (1, k)));
    products(call, 0, &dy, &w);
}

pub fn wgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (units, rows, n, k) = (*units, *rows, *n, call.inputs[1].shape()[2]);
    for unit in 0..units {
        let (dy, x) = (call.inputs[0].floats(), call.inputs[1].floats());
        let dy = matrix(dy, unit * rows * n, (n, rows), (1, n));
        let x = matrix(x, unit * rows * k, (k, rows), (1, k));
        products(call, unit * n * k, &dy, &x);
    }
}

pub fn batched(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let sides = attributes.sides(call.inputs[0].shape(), call.inputs[1].shape());
    let Sides { batch, m, n, k } = sides.expect("infer has accepted the shapes");
    for at in 0..batch {
        let (a, b) = (call.inputs[0].floats(), call.inputs[1].floats());
        let a = matrix(a, at * m * k, (m, k), if attributes.transpose_a { (1, m) } else { (k, 1) });
        let b = matrix(b, at * k * n, (n, k), if attributes.transpose_b { (k, 1) } else { (1, n) });
        products(call, at * m * n, &a, &b);
    }
}

/// Lines of a matrix: element j of line i lies at `first` + i·strides.0 + j·strides.1.
fn matrix(values: Floats<'_>, first: usize, sides: (usize, usize), strides: (usize, usize)) -> Vec<Vec<f32>> {
    let line = |i: usize| (0..sides.1).map(|j| values.get(first + i * strides.0 + j * strides.1)).collect();
    (0..sides.0).map(line).collect()
}

fn products(call: &mut Call<'_, '_>, first: usize, a: &[Vec<f32>], b: &[Vec<f32>]) {
    let dtype = call.inputs[0].spec.dtype;
    let mut output = call.outputs[0].reborrow().into_floats();
    for (i, line) in a.iter().enumerate() {
        for (j, other) in b.iter().enumerate() {
            output.set(first + i * b.len() + j, dot(dtype, line, other));
        }
    }
}

/// One element of a product of operands of this dtype.
pub(crate) fn dot(dtype: Dtype, a: &[f32], b: &[f32]) -> f32 {
    steps(dtype.tensor_core_format().expect("infer has accepted the dtype"), a, b, 0.0)
}

/// Steps over two lines, ascending, going on from `c`.
pub(crate) fn steps(format: Format, a: &[f32], b: &[f32], c: f32) -> f32 {
    let depth = format.parameters().depth;
    a.chunks(depth).zip(b.chunks(depth)).fold(c, |c, (a, b)| step(format, a, b, c))
}
