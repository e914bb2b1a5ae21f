//! The bits of the contract, as plainly as they can be written: one thread, scalar loops.

use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let [units, rows, k] = call.inputs[0].shape() else { unreachable!("x has three axes") };
    let (rows, k, n) = (units * rows, *k, call.inputs[1].shape()[0]);
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut y = call.outputs[0].reborrow().into_floats();
    for row in 0..rows {
        for column in 0..n {
            let mut accumulator = 0.0;
            for term in 0..k {
                accumulator = x.get(row * k + term).mul_add(w.get(column * k + term), accumulator);
            }
            y.set(row * n + column, accumulator + 0.0);
        }
    }
}

pub fn dgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (rows, n, k) = (units * rows, *n, call.inputs[1].shape()[1]);
    let (dy, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut dx = call.outputs[0].reborrow().into_floats();
    for row in 0..rows {
        for column in 0..k {
            let mut accumulator = 0.0;
            for term in 0..n {
                accumulator = dy.get(row * n + term).mul_add(w.get(term * k + column), accumulator);
            }
            dx.set(row * k + column, accumulator + 0.0);
        }
    }
}

pub fn wgrad(call: &mut Call<'_, '_>) {
    let [units, rows, n] = call.inputs[0].shape() else { unreachable!("dy has three axes") };
    let (units, rows, n, k) = (*units, *rows, *n, call.inputs[1].shape()[2]);
    let (dy, x) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut dw = call.outputs[0].reborrow().into_floats();
    for unit in 0..units {
        for out in 0..n {
            for column in 0..k {
                let mut accumulator = 0.0;
                for row in unit * rows..(unit + 1) * rows {
                    accumulator = dy.get(row * n + out).mul_add(x.get(row * k + column), accumulator);
                }
                dw.set((unit * n + out) * k + column, accumulator + 0.0);
            }
        }
    }
}
