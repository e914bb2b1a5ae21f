//! The bits of the contract, as plainly as they can be written.

use super::Attributes;
use crate::room::Call;
use numerics::format::canonical;

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { epsilon, decay } = call.attributes();
    let [g, coefficient, scalars, nonfinite] = call.inputs else { unreachable!("adamw has four inputs") };
    if nonfinite.typed::<u32>()[0] != 0 {
        return;
    }
    let coefficient = coefficient.f32()[0];
    let [_, c1, c2, keep, r2, s, beta1, beta2] = scalars.f32() else { unreachable!("eight scalars") };
    let [p, m, v] = call.outputs else { unreachable!("adamw has three outputs") };
    let (p, m) = (p.reborrow().into_typed::<f32>(), m.reborrow().into_typed::<f32>());
    let v = v.reborrow().into_typed::<f32>();
    for (element, g) in g.f32().iter().enumerate() {
        let g = g * coefficient;
        let first = beta1.mul_add(m[element], g * c1);
        let second = beta2.mul_add(v[element], g * g * c2);
        let kept = if decay { p[element] * keep } else { p[element] };
        let denominator = second.sqrt() * r2 + epsilon;
        p[element] = canonical(kept - s * (first / denominator));
        m[element] = canonical(first);
        v[element] = canonical(second);
    }
}
