//! Chunks spread over the pool; √ and ÷ are vector instructions that round to nearest.

use super::Attributes;
use crate::optim::CHUNK;
use crate::room::Call;
use numerics::format::canonicalise;
use numerics::vectorised;

/// What is equal for every element of a step.
#[derive(Clone, Copy)]
struct Step {
    coefficient: f32,
    /// [lr, 1−β1, 1−β2, 1−lr·wd, r2, s, β1, β2]; the fourth is 1 where the parameter does not decay, which keeps p.
    scalars: [f32; 8],
    epsilon: f32,
}

vectorised! {
    fn update<'a>(step: Step, g: &'a [f32], p: &'a mut [f32], m: &'a mut [f32], v: &'a mut [f32]) {
        let Step { coefficient, scalars: [_, c1, c2, keep, r2, s, beta1, beta2], epsilon } = step;
        for (((g, p), m), v) in g.iter().zip(&mut *p).zip(&mut *m).zip(&mut *v) {
            let g = g * coefficient;
            *m = beta1.mul_add(*m, g * c1);
            *v = beta2.mul_add(*v, g * g * c2);
            let d = v.sqrt() * r2 + epsilon;
            *p = *p * keep - s * (*m / d);
        }
        canonicalise(p);
        canonicalise(m);
        canonicalise(v);
    }
}

pub fn run(call: &mut Call<'_, '_>) {
    let Attributes { epsilon, decay } = call.attributes();
    let [g, coefficient, scalars, nonfinite] = call.inputs else { unreachable!("adamw has four inputs") };
    if nonfinite.typed::<u32>()[0] != 0 {
        return;
    }
    let mut scalars: [f32; 8] = scalars.f32().try_into().expect("infer has seen eight scalars");
    if !decay {
        scalars[3] = 1.0;
    }
    let step = Step { coefficient: coefficient.f32()[0], scalars, epsilon };
    let level = call.context.level;
    let [p, m, v] = call.outputs else { unreachable!("adamw has three outputs") };
    let p = p.reborrow().into_typed::<f32>().chunks_mut(CHUNK);
    let m = m.reborrow().into_typed::<f32>().chunks_mut(CHUNK);
    let v = v.reborrow().into_typed::<f32>().chunks_mut(CHUNK);
    let tasks = g.f32().chunks(CHUNK).zip(p).zip(m.zip(v)).collect();
    call.context.pool.run(tasks, |_, ((g, p), (m, v))| update(level, step, g, p, m, v));
}
