//! The bits of the contract.

use super::{Attributes, ReportAttributes};
use crate::room::Call;

/// 2^200: the f32 of any ordinary weight times this is infinite.
const BOOST: f64 = f64::from_bits((1023 + 200) << 52);

pub fn weights(call: &mut Call<'_, '_>) {
    let Attributes { z_loss, overflow_steps } = call.attributes();
    let (count, step) = (call.inputs[0].typed::<u64>()[0], call.inputs[2].typed::<u64>()[0]);
    let boost = if overflow_steps.contains(&step) { BOOST } else { 1.0 };
    let scale = f64::from(call.inputs[1].f32()[0]) * boost;
    let mut weights = call.outputs[0].reborrow().into_floats();
    if count == 0 {
        weights.store(0, &[0.0, 0.0]);
    } else {
        weights.set(0, (scale / count as f64) as f32);
        weights.set(1, (scale * 2.0 * f64::from(z_loss) / count as f64) as f32);
    }
}

pub fn report(call: &mut Call<'_, '_>) {
    let ReportAttributes { z_loss } = call.attributes();
    let (loss, z) = (f64::from(call.inputs[0].f32()[0]), f64::from(call.inputs[1].f32()[0]));
    let count = call.inputs[2].typed::<u64>()[0];
    let mut report = call.outputs[0].reborrow().into_floats();
    if count == 0 {
        report.store(0, &[0.0; 3]);
    } else {
        let lm = (loss / count as f64) as f32;
        let z = (f64::from(z_loss) * z / count as f64) as f32;
        report.store(0, &[lm + z, lm, z]);
    }
}
