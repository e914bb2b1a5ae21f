//! The bits of the contract, as plainly as they can be written.

use super::Attributes;
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    rotate(call, |x0, x1, cos, sin| (x0.mul_add(cos, -(x1 * sin)), x1.mul_add(cos, x0 * sin)));
}

pub fn backward(call: &mut Call<'_, '_>) {
    rotate(call, |y0, y1, cos, sin| (y0.mul_add(cos, y1 * sin), y1.mul_add(cos, -(y0 * sin))));
}

fn rotate(call: &mut Call<'_, '_>, pair: fn(f32, f32, f32, f32) -> (f32, f32)) {
    let attributes: Attributes = call.attributes();
    let (width, half) = (attributes.width(), attributes.head_width / 2);
    let count = call.inputs[2].shape()[1];
    let (x, positions, table) = (call.inputs[0].floats(), call.inputs[1].typed::<i32>(), call.inputs[2].f32());
    let mut y = call.outputs[0].reborrow().into_floats();
    for (row, position) in positions.iter().enumerate() {
        for head in 0..attributes.rotated() {
            for index in 0..half {
                let at = row * width + head * attributes.head_width + index;
                let (y0, y1) = if *position >= 0 && (*position as usize) < count {
                    let angle = *position as usize * half + index;
                    pair(x.get(at), x.get(at + half), table[angle], table[count * half + angle])
                } else {
                    (f32::NAN, f32::NAN)
                };
                y.set(at, y0);
                y.set(at + half, y1);
            }
        }
        for column in attributes.rotated() * attributes.head_width..width {
            y.set(row * width + column, x.get(row * width + column));
        }
    }
}
