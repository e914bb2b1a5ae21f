//! The bits of the contract.

use super::{Attributes, Kind};
use crate::room::Call;
use numerics::math::cos;
use std::f64::consts::PI;

pub fn run(call: &mut Call<'_, '_>) {
    let attributes: Attributes = call.attributes();
    let applied = call.inputs[0].typed::<u64>()[0];
    call.outputs[0].reborrow().into_floats().store(0, &scalars(&attributes, applied));
}

/// [lr, 1−β1, 1−β2, 1−lr·wd, r2, s, β1, β2] of the step after `applied` ones.
pub(crate) fn scalars(attributes: &Attributes, applied: u64) -> [f32; 8] {
    let Attributes { beta1, beta2, weight_decay, .. } = *attributes;
    let step = applied + 1;
    let lr = learning_rate(attributes, step);
    let r2 = 1.0 / (1.0 - power(beta2, step)).sqrt();
    let s = lr / (1.0 - power(beta1, step));
    [lr, 1.0 - beta1, 1.0 - beta2, 1.0 - lr * weight_decay, r2, s, beta1, beta2].map(|value| value as f32)
}

fn learning_rate(attributes: &Attributes, step: u64) -> f64 {
    let Attributes { kind, peak, floor, warmup, total, decay, .. } = *attributes;
    let f64_of = |count: u64| count as f64;
    if step <= warmup {
        return peak * f64_of(step) / f64_of(warmup);
    }
    if step >= total {
        return floor;
    }
    match kind {
        Kind::WarmupCosine => {
            let x = f64_of(step - warmup) / f64_of(total - warmup);
            let c = f64::from(cos((PI * x) as f32));
            floor + (peak - floor) * (0.5 * (1.0 + c))
        }
        Kind::Wsd if step <= total - decay => peak,
        Kind::Wsd => floor + (peak - floor) * (f64_of(total - step) / f64_of(decay)),
    }
}

/// By repeated multiplication: `powi` may choose another order on another platform. Once a product equals the one
/// before it (zero, or the smallest subnormal), so do all that follow.
fn power(base: f64, exponent: u64) -> f64 {
    let mut product = 1.0;
    for _ in 0..exponent {
        let next = product * base;
        if next == product {
            break;
        }
        product = next;
    }
    product
}
