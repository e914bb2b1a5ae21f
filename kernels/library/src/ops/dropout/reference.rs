//! The bits of the contract, as plainly as they can be written.

use super::Attributes;
use crate::room::Call;
use numerics::philox::Stream;

pub fn apply(call: &mut Call<'_, '_>) {
    let Attributes { seed, stream, probability } = call.attributes();
    let [step, first_unit] = call.inputs[1].typed::<u64>() else { unreachable!("position has two elements") };
    let [_, positions, width] = call.inputs[0].shape() else { unreachable!("x has three axes") };
    let stream = Stream { seed, step: *step as u32, stream };
    let threshold = (f64::from(probability) * 4_294_967_296.0) as u32;
    let scale = (1.0 / (1.0 - f64::from(probability))) as f32;
    let x = call.inputs[0].floats();
    let mut y = call.outputs[0].reborrow().into_floats();
    for index in 0..x.len() {
        let element = first_unit.wrapping_mul((positions * width) as u64).wrapping_add(index as u64);
        let word = stream.block(element / 4)[(element % 4) as usize];
        y.set(index, if word >= threshold { x.get(index) * scale } else { 0.0 });
    }
}
