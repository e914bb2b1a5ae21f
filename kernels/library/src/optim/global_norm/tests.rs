use super::GlobalNorm;
use crate::case::Case;
use crate::context::Context;
use crate::eager::run;
use crate::room::Room;
use crate::tensor::{Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&GlobalNorm);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&GlobalNorm);
}

fn case(name: &str) -> Case {
    GlobalNorm.cases().into_iter().find(|case| case.name == name).expect("a case of this name")
}

/// The float and the flag that a case gives.
fn outputs(name: &str) -> (f32, u32) {
    let case = case(name);
    let kernel = GlobalNorm.kernels().iter().find(|kernel| kernel.name == case.kernel).expect("its kernel");
    let context = Context::new(2, Level::detect());
    let outputs = run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid");
    (outputs[0].to_f32()[0], outputs[1].view().typed::<u32>()[0])
}

#[test]
fn a_gradient_that_is_not_finite_raises_the_flag_wherever_it_stands() {
    assert_eq!(outputs("last_is_infinite"), (f32::INFINITY, 1));
    assert_eq!(outputs("last_is_nan").1, 1);
    assert_eq!(outputs("last_overflows"), (f32::INFINITY, 0));
    assert_eq!(outputs("subnormal").1, 0);
}

#[test]
fn a_norm_is_the_root_of_the_tree_of_squares_without_the_loss_scale() {
    assert_eq!(outputs("norm_of_one"), (2.0_f32.sqrt(), 0));
    // Twice past a midpoint moves two places; both at once move one.
    let (tree, other) = ((1.0_f32 + 6e-8) + 6e-8, 1.0_f32 + (6e-8 + 6e-8));
    assert_ne!(tree.sqrt(), other.sqrt());
    assert_eq!(outputs("norm_of_three"), (tree.sqrt() * 0.125, 0));
    assert_eq!(outputs("flag_of_last").1, 1);
}

#[test]
fn an_infinite_norm_of_finite_gradients_raises_the_flag() {
    assert_eq!(outputs("norm_overflows"), (f32::INFINITY, 1));
}

#[test]
fn one_long_chain_has_other_bits_than_the_contract() {
    let g = case("task_and_one").inputs[0].to_f32();
    let mut sum = 0.0_f32;
    for g in &g {
        sum = g.mul_add(*g, sum);
    }
    assert_ne!(sum.to_bits(), outputs("task_and_one").0.to_bits());
}

#[test]
fn a_norm_of_no_tensors_or_of_unpaired_ones_is_refused() {
    let infer = GlobalNorm.kernels()[1].infer;
    let specs =
        |name: &str| -> Vec<Spec> { case(name).inputs.iter().map(|tensor: &Tensor| tensor.spec.clone()).collect() };
    assert!(infer(&json!({}), &specs("norm_of_three")).is_ok());
    assert!(infer(&json!({}), &specs("norm_of_three")[2..]).is_err());
    assert!(infer(&json!({}), &specs("norm_of_three")[6..]).is_err());
    assert!(infer(&json!({"unknown": 1}), &specs("norm_of_three")).is_err());
}
