//! Chunks spread over the pool.

use super::Attributes;
use crate::optim::CHUNK;
use crate::room::Call;
use numerics::format::canonicalise;
use numerics::vectorised;

vectorised! {
    fn update<'a>(share: f32, p: &'a [f32], e: &'a mut [f32]) {
        for (e, p) in e.iter_mut().zip(p) {
            *e = share.mul_add(p - *e, *e);
        }
        canonicalise(e);
    }
}

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { decay } = call.attributes();
    if call.inputs[1].typed::<u32>()[0] != 0 {
        return;
    }
    let (share, level) = ((1.0 - decay) as f32, call.context.level);
    let e = call.outputs[0].reborrow().into_typed::<f32>().chunks_mut(CHUNK);
    let tasks = call.inputs[0].f32().chunks(CHUNK).zip(e).collect();
    call.context.pool.run(tasks, |_, (p, e)| update(level, share, p, e));
}
