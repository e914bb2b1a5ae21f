//! The bits of the contract, as plainly as they can be written.

use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let mut sum = call.outputs[0].reborrow().into_floats();
    for index in 0..call.inputs[0].spec.elements() {
        let mut accumulator = call.inputs[0].floats().get(index);
        for contribution in &call.inputs[1..] {
            accumulator += contribution.floats().get(index);
        }
        sum.set(index, accumulator);
    }
}
