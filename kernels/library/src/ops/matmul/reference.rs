//! The bits of the contract, as plainly as they can be written: one thread, one chain after the other.

use crate::room::Call;
use crate::tensor::Floats;
use numerics::simd::Level;
use numerics::vectorised;

pub fn forward(call: &mut Call<'_, '_>) {
    let [units, rows, k] = call.inputs[0].shape() else { unreachable!("x has three axes") };
    let (rows, k, n) = (units * rows, *k, call.inputs[1].shape()[0]);
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let (x, w) = (matrix(x, 0, (rows, k), (k, 1)), matrix(w, 0, (k, n), (1, k)));
    set(call, 0, &chains(call.context.level, &x, &w, (rows, n, k)));
}

pub fn dgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (rows, n, k) = (units * rows, *n, call.inputs[1].shape()[1]);
    let (dy, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let (dy, w) = (matrix(dy, 0, (rows, n), (n, 1)), matrix(w, 0, (n, k), (k, 1)));
    set(call, 0, &chains(call.context.level, &dy, &w, (rows, k, n)));
}

pub fn wgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (units, rows, n, k) = (*units, *rows, *n, call.inputs[1].shape()[2]);
    for unit in 0..units {
        let (dy, x) = (call.inputs[0].floats(), call.inputs[1].floats());
        let dy = matrix(dy, unit * rows * n, (n, rows), (1, n));
        let x = matrix(x, unit * rows * k, (rows, k), (k, 1));
        set(call, unit * n * k, &chains(call.context.level, &dy, &x, (n, k, rows)));
    }
}

/// Element (i, j) of the result lies at `first` + i·strides.0 + j·strides.1 of the operand.
fn matrix(values: Floats<'_>, first: usize, sides: (usize, usize), strides: (usize, usize)) -> Vec<f32> {
    let row = |i: usize| (0..sides.1).map(move |j| values.get(first + i * strides.0 + j * strides.1));
    (0..sides.0).flat_map(row).collect()
}

fn set(call: &mut Call<'_, '_>, first: usize, values: &[f32]) {
    let mut output = call.outputs[0].reborrow().into_floats();
    for (at, value) in values.iter().enumerate() {
        output.set(first + at, *value);
    }
}

fn chains(level: Level, a: &[f32], b: &[f32], sides: (usize, usize, usize)) -> Vec<f32> {
    let mut out = vec![0.0; sides.0 * sides.1];
    run(level, a, b, sides, &mut out);
    out
}

vectorised! {
    /// Element (i, j) of [m, n] is one chain, fma(a_it, b_tj, ·), t ascending from +0, then RN(· + 0). The chains of a
    /// row advance side by side. The instruction set only says how an fma is made: without an instruction for it each
    /// is a call.
    fn run<'a>(a: &'a [f32], b: &'a [f32], sides: (usize, usize, usize), out: &'a mut [f32]) {
        let (m, n, k) = sides;
        for i in 0..m {
            let chains = &mut out[i * n..][..n];
            chains.fill(0.0);
            for t in 0..k {
                for (chain, b) in chains.iter_mut().zip(&b[t * n..][..n]) {
                    *chain = a[i * k + t].mul_add(*b, *chain);
                }
            }
            for chain in chains {
                *chain += 0.0;
            }
        }
    }
}
