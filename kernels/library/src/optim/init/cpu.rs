//! Chunks spread over the pool; words of a chunk drawn in groups.

use super::{Attributes, Kind};
use crate::optim::CHUNK;
use crate::room::Call;
use numerics::philox::Stream;
use numerics::vectorised;

vectorised! {
    fn draw<'a>(stream: Stream, start: u64, out: &'a mut [f32], std: f32) {
        stream.fill_normal(start, out, std);
    }
}

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { kind, .. } = call.attributes();
    let level = call.context.level;
    let value = call.outputs[0].reborrow().into_typed::<f32>();
    call.context.pool.run(value.chunks_mut(CHUNK).collect(), |task, chunk: &mut [f32]| match kind {
        Kind::Zeros => chunk.fill(0.0),
        Kind::Ones => chunk.fill(1.0),
        Kind::Constant { value } => chunk.fill(value),
        Kind::Normal { seed, stream, std } => {
            draw(level, Stream { seed, step: 0, stream }, (task * CHUNK) as u64, chunk, std);
        }
    });
}
