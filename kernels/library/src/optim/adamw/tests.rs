use super::AdamW;
use crate::context::Context;
use crate::eager::run;
use crate::optim::walk;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&AdamW);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&AdamW);
}

#[test]
fn a_walk_resumes_from_every_step() {
    walk::resumes_from_every_step(&AdamW);
}

fn step(g: f32, decay: bool, nonfinite: u32) -> Vec<f32> {
    let kernel = &AdamW.kernels()[0];
    let scalar = |value: f32| Tensor::from_f32(&[1], &[value]);
    // β1 = β2 = 0.5, lr = 0.25, wd = 0.5: all of it exact. r2 = 2, s = 0.5 are free numbers here.
    let scalars = Tensor::from_f32(&[8], &[0.25, 0.5, 0.5, 0.875, 2.0, 0.5, 0.5, 0.5]);
    let flag = Tensor::from_bytes(Spec::new(Dtype::U32, &[1]), bytemuck::bytes_of(&nonfinite));
    let operands = [scalar(g), scalar(0.5), scalars, flag, scalar(8.0), scalar(1.0), scalar(2.0)];
    let context = Context::new(1, Level::detect());
    let attributes = json!({"epsilon": 1.0, "decay": decay});
    let outputs = run(kernel, kernel.fastest(), &attributes, &operands, 0xA5, &context).expect("valid operands");
    outputs.iter().map(|tensor| tensor.to_f32()[0]).collect()
}

#[test]
fn a_step_computed_by_hand_has_these_values() {
    // g = 4 · 0.5 = 2; m = 0.5 + 1 = 1.5; v = 1 + 2 = 3; d = 2√3 + 1; p = 8 · 0.875 − 0.5 · 1.5 / d.
    let d = 3.0_f32.sqrt() * 2.0 + 1.0;
    assert_eq!(step(4.0, true, 0), [7.0 - 0.5 * (1.5 / d), 1.5, 3.0]);
    assert_eq!(step(4.0, false, 0), [8.0 - 0.5 * (1.5 / d), 1.5, 3.0]);
}

#[test]
fn a_raised_flag_leaves_everything_as_it_is() {
    assert_eq!(step(f32::NAN, true, 1), [8.0, 1.0, 2.0]);
    assert_eq!(step(4.0, true, u32::MAX), [8.0, 1.0, 2.0]);
    assert!(step(f32::NAN, true, 0)[0].is_nan());
}

#[test]
fn moments_added_without_fma_have_other_bits_than_the_contract() {
    let case = AdamW.cases().into_iter().find(|case| case.name == "whole").expect("a case of this name");
    let context = Context::new(1, Level::detect());
    let kernel = &AdamW.kernels()[0];
    let outputs = run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid");
    let (g, m, scalars) = (case.inputs[0].to_f32(), case.inputs[5].to_f32(), case.inputs[2].to_f32());
    let plain: Vec<f32> = g.iter().zip(&m).map(|(g, m)| scalars[6] * m + g * 0.37 * scalars[1]).collect();
    assert_ne!(outputs[1].to_f32(), plain);
}

#[test]
fn state_of_another_shape_and_an_epsilon_of_zero_are_refused() {
    let case = &AdamW.cases()[1];
    let infer = AdamW.kernels()[0].infer;
    let mut specs: Vec<_> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    assert!(infer(&case.attributes, &specs).is_ok());
    assert!(infer(&json!({"epsilon": 0.0, "decay": true}), &specs).is_err());
    specs[6] = Spec::f32(&[2]);
    assert!(infer(&case.attributes, &specs).is_err());
}
