//! The bits of the contract.

use super::Attributes;
use crate::room::Call;
use numerics::format;

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { growth_interval, max_scale, min_scale } = call.attributes();
    let nonfinite = call.inputs[0].typed::<u32>()[0];
    let [scale, good, applied] = call.outputs else { unreachable!("scaler has three outputs") };
    let scale = &mut scale.reborrow().into_typed::<f32>()[0];
    let good = &mut good.reborrow().into_typed::<u32>()[0];
    let applied = &mut applied.reborrow().into_typed::<u64>()[0];
    if nonfinite != 0 {
        *scale = format::max(*scale * 0.5, min_scale);
        *good = 0;
        return;
    }
    *applied += 1;
    *good += 1;
    if *good == growth_interval {
        *scale = format::min(*scale * 2.0, max_scale);
        *good = 0;
    }
}
