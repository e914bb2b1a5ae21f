//! The bits of the contract.

use super::Attributes;
use crate::room::Call;
use numerics::format;

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { max_norm } = call.attributes();
    let (norm, scale) = (call.inputs[0].f32()[0], call.inputs[1].f32()[0]);
    let limit = format::min(1.0, format::canonical(max_norm / (norm + 1e-6)));
    call.outputs[0].reborrow().into_floats().set(0, limit * (1.0 / scale));
}
