use super::Dropout;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::philox::Stream;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Dropout);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Dropout);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Dropout);
}

#[test]
fn a_mask_that_ignores_the_first_unit_is_caught() {
    testing::bits_catch(&Dropout, "dropout", |call| {
        let attributes: super::Attributes = call.attributes();
        let step = call.inputs[1].typed::<u64>()[0] as u32;
        let stream = Stream { seed: attributes.seed, step, stream: attributes.stream };
        let threshold = (f64::from(attributes.probability) * 4_294_967_296.0) as u32;
        let scale = (1.0 / (1.0 - f64::from(attributes.probability))) as f32;
        let x = call.inputs[0].floats();
        let mut y = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            y.set(index, if stream.word(index as u64) >= threshold { x.get(index) * scale } else { 0.0 });
        }
    });
}

#[test]
fn a_batch_in_two_calls_gives_the_bits_of_one_call() {
    let registry = Registry::standard();
    let kernel = registry.kernel("dropout").expect("the kernel exists");
    let context = Context::new(2, Level::detect());
    let attributes = json!({"seed": 9, "stream": 1, "probability": 0.4});
    let execute = |units: usize, first: u64| {
        let x = Tensor::from_f32(&[units, 3, 7], &vec![1.0; units * 21]);
        let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&[5, first]));
        run(kernel, kernel.fastest(), &attributes, &[x, position], 0xA5, &context).expect("valid operands")[0].to_f32()
    };
    assert_eq!(execute(4, 2), [execute(1, 2), execute(3, 3)].concat());
    assert_ne!(execute(1, 2), execute(1, 3));
}

/// Walks from step `from` with the given state.
fn walk(mut state: Vec<Tensor>, from: u64) -> Vec<Vec<Tensor>> {
    let walk = Dropout.walk().expect("dropout has state");
    let registry = Registry::standard();
    let kernel = registry.kernel(walk.kernel).expect("the kernel exists");
    let context = Context::new(1, Level::detect());
    let mut states = Vec::new();
    for step in from..walk.steps {
        let (attributes, operands) = (walk.operands)(step, &state);
        let outputs = run(kernel, kernel.fastest(), &attributes, &operands, 0xA5, &context).expect("valid operands");
        state = (walk.advance)(step, state, outputs);
        states.push(state.clone());
    }
    states
}

#[test]
fn a_walk_resumed_from_its_state_at_any_step_ends_alike_and_needs_the_counter() {
    let initial = || (Dropout.walk().expect("dropout has state").initial)();
    let start: Vec<Tensor> = initial().into_iter().map(|(_, tensor)| tensor).collect();
    let whole = walk(start.clone(), 0);
    for step in 1..whole.len() {
        let saved = whole[step - 1].clone();
        assert_eq!(walk(saved.clone(), step as u64), whole[step..]);
        let without_counter = vec![start[0].clone(), saved[1].clone()];
        let values = |states: Vec<Vec<Tensor>>| states.last().expect("a step remains")[1].clone();
        assert_ne!(values(walk(without_counter, step as u64)), values(whole[step..].to_vec()));
    }
}

#[test]
fn a_probability_outside_zero_to_one_is_refused() {
    let kernel = &Dropout.kernels()[0];
    let specs = [Spec::f32(&[1, 2, 3]), Spec::new(Dtype::U64, &[2])];
    for (probability, accepted) in [(0.0, true), (0.999, true), (1.0, false), (-0.1, false), (1e39, false)] {
        let attributes = json!({"seed": 1, "stream": 1, "probability": probability});
        assert_eq!((kernel.infer)(&attributes, &specs).is_ok(), accepted, "{probability}");
    }
}
