//! The bits of the contract, as plainly as they can be written.

use super::Attributes;
use crate::room::Call;
use numerics::format::canonical;

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { decay } = call.attributes();
    if call.inputs[1].typed::<u32>()[0] != 0 {
        return;
    }
    let share = (1.0 - decay) as f32;
    let e = call.outputs[0].reborrow().into_typed::<f32>();
    for (element, p) in call.inputs[0].f32().iter().enumerate() {
        e[element] = canonical(share.mul_add(p - e[element], e[element]));
    }
}
