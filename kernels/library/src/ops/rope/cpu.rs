//! Rows spread over the pool; the halves of a head are two contiguous runs, so pairs lie side by side.

use super::Attributes;
use crate::room::Call;
use crate::tensor::{Floats, FloatsMut};

/// Elements of one task: enough to pay for its start.
const TASK: usize = 8 * 1024;

/// What every row needs.
#[derive(Clone, Copy)]
struct Angles<'a> {
    attributes: Attributes,
    cos: &'a [f32],
    sin: &'a [f32],
}

pub fn forward(call: &mut Call<'_, '_>) {
    rotate(call, 1.0);
}

pub fn backward(call: &mut Call<'_, '_>) {
    rotate(call, -1.0);
}

/// `direction` is 1 or −1. It changes the sign of the sine, which is exact, so that one loop serves both directions.
fn rotate(call: &mut Call<'_, '_>, direction: f32) {
    let attributes: Attributes = call.attributes();
    let (width, level) = (attributes.width(), call.context.level);
    let (x, positions) = (call.inputs[0].floats(), call.inputs[1].typed::<i32>());
    let table = call.inputs[2].f32();
    let (cos, sin) = table.split_at(table.len() / 2);
    let angles = Angles { attributes, cos, sin };
    let rows = (TASK / width).max(1);
    let pieces = call.outputs[0].reborrow().into_floats().chunks(rows * width);
    let tasks = positions.chunks(rows).zip(pieces).collect();
    call.context.pool.run(tasks, |task, (positions, y)| {
        rotate_rows(level, x, task * rows, positions, angles, direction, y);
    });
}

numerics::vectorised! {
    fn rotate_rows<'a>(
        x: Floats<'a>,
        first: usize,
        positions: &'a [i32],
        angles: Angles<'a>,
        direction: f32,
        y: FloatsMut<'a>,
    ) {
        let mut y = y;
        let Angles { attributes, cos, sin } = angles;
        let (width, half) = (attributes.width(), attributes.head_width / 2);
        let (mut values, mut signed) = (vec![0.0; width], vec![0.0; half]);
        for (row, position) in positions.iter().enumerate() {
            x.load((first + row) * width, &mut values);
            let rotated = &mut values[..attributes.rotated() * attributes.head_width];
            let at = usize::try_from(*position).unwrap_or(usize::MAX).saturating_mul(half);
            if at < cos.len() {
                let cos = &cos[at..at + half];
                for (signed, sin) in signed.iter_mut().zip(&sin[at..at + half]) {
                    *signed = direction * *sin;
                }
                for head in rotated.chunks_exact_mut(attributes.head_width) {
                    let (low, high) = head.split_at_mut(half);
                    for (((low, high), cos), sin) in low.iter_mut().zip(high).zip(cos).zip(&signed) {
                        let (x0, x1) = (*low, *high);
                        *low = x0.mul_add(*cos, -(x1 * *sin));
                        *high = x1.mul_add(*cos, x0 * *sin);
                    }
                }
            } else {
                rotated.fill(f32::NAN);
            }
            y.store(row * width, &values);
        }
    }
}
