//! The bits of the contract, as plainly as they can be written.

use super::{Attributes, first_unit};
use crate::room::Call;

pub fn forward(call: &mut Call<'_, '_>) {
    let Attributes { units_per_leaf } = call.attributes();
    let first = first_unit(call, units_per_leaf);
    let unit = call.inputs[0].floats();
    let elements: usize = call.inputs[0].shape()[1..].iter().product();
    let leaves = call.outputs[0].reborrow().into_typed::<f32>();
    for u in 0..call.inputs[0].shape()[0] {
        let number = first + u as u64;
        for element in 0..elements {
            let slot = &mut leaves[(number / units_per_leaf) as usize * elements + element];
            let accumulator = if number.is_multiple_of(units_per_leaf) { 0.0 } else { *slot };
            *slot = numerics::format::canonical(accumulator + unit.get(u * elements + element));
        }
    }
}
