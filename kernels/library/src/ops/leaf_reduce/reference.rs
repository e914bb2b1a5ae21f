//! The bits of the contract, as plainly as they can be written.

use super::{Attributes, Wire};
use crate::room::Call;
use numerics::format::{bf16_from_f32, bf16_to_f32};
use numerics::sum;

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { wire } = call.attributes();
    let (leaves, count) = (call.inputs[0].f32(), call.inputs[0].shape()[0]);
    let elements = leaves.len() / count;
    let mut out = call.outputs[0].reborrow().into_floats();
    for element in 0..elements {
        let mut values: Vec<f32> = (0..count)
            .map(|leaf| leaves[leaf * elements + element])
            .map(|value| if wire == Wire::Bf16Leaf { bf16_to_f32(bf16_from_f32(value)) } else { value })
            .collect();
        out.set(element, sum::tree(&mut values));
    }
}
