//! The bits of the contract, as plainly as they can be written.

use super::{Attributes, Kind};
use crate::room::Call;
use numerics::philox::{Stream, normal};

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { shape, kind } = call.attributes();
    let mut value = call.outputs[0].reborrow().into_floats();
    for element in 0..shape.iter().product() {
        let drawn = match kind {
            Kind::Zeros => 0.0,
            Kind::Ones => 1.0,
            Kind::Constant { value } => value,
            Kind::Normal { seed, stream, std } => {
                let stream = Stream { seed, step: 0, stream };
                let index = 2 * element as u64;
                std * normal([stream.word(index), stream.word(index + 1)])
            }
        };
        value.set(element, drawn);
    }
}
