//! The bits of the contract, as plainly as they can be written.

use super::Attributes;
use crate::room::Call;
use numerics::format::canonical;
use numerics::{math, sum};

pub fn forward(call: &mut Call<'_, '_>) {
    let epsilon = call.attributes::<Attributes>().second.epsilon;
    let [x, a, gamma] = call.inputs else { unreachable!("residual_rmsnorm has three inputs") };
    let (width, dtype) = (x.shape()[2], x.spec.dtype);
    let (x, a, gamma) = (x.floats(), a.floats(), gamma.floats());
    let [out_sum, y, r] = call.outputs else { unreachable!("residual_rmsnorm has three outputs") };
    let mut out_sum = out_sum.reborrow().into_floats();
    let (mut y, mut r) = (y.reborrow().into_floats(), r.reborrow().into_floats());
    for row in 0..x.len() / width {
        let rounded: Vec<f32> = (row * width..(row + 1) * width)
            .map(|at| x.get(at) + a.get(at))
            .map(|value| canonical(dtype.rounded(value)))
            .collect();
        let scale = math::rsqrt(sum::blocked_squares(&rounded) / width as f32 + epsilon);
        r.set(row, scale);
        for (column, value) in rounded.iter().enumerate() {
            out_sum.set(row * width + column, *value);
            y.set(row * width + column, value * scale * gamma.get(column));
        }
    }
}
