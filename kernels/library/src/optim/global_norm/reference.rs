//! The bits of the contract, as plainly as they can be written.

use super::BLOCK;
use crate::room::Call;
use numerics::sum;

pub fn squares(call: &mut Call<'_, '_>) {
    let g = call.inputs[0].f32();
    let mut blocks: Vec<f32> = g.chunks(BLOCK).map(sum::lanes32_squares).collect();
    let nonfinite = g.iter().any(|g| !g.is_finite());
    let [squares, flag] = call.outputs else { unreachable!("two outputs") };
    squares.reborrow().into_floats().set(0, sum::tree(&mut blocks));
    flag.reborrow().into_typed::<u32>()[0] = u32::from(nonfinite);
}

pub fn norm(call: &mut Call<'_, '_>) {
    let tensors = call.inputs.len() / 2;
    let mut squares: Vec<f32> = call.inputs[..tensors].iter().map(|squares| squares.f32()[0]).collect();
    let nonfinite = call.inputs[tensors..2 * tensors].iter().any(|flag| flag.typed::<u32>()[0] != 0);
    let scale = call.inputs[2 * tensors].f32()[0];
    let value = sum::tree(&mut squares).sqrt() * (1.0 / scale);
    let [norm, flag] = call.outputs else { unreachable!("two outputs") };
    norm.reborrow().into_floats().set(0, value);
    flag.reborrow().into_typed::<u32>()[0] = u32::from(nonfinite || !value.is_finite());
}
