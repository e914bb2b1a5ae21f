use super::LossWeights;
use crate::context::Context;
use crate::eager::run;
use crate::room::Room;
use crate::testing;
use numerics::simd::Level;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&LossWeights);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&LossWeights);
}

fn outputs(name: &str) -> Vec<f32> {
    let case = LossWeights.cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let kernel = LossWeights.kernels().iter().find(|kernel| kernel.name == case.kernel).expect("its kernel");
    let context = Context::new(1, Level::Scalar);
    run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid")[0].to_f32()
}

#[test]
fn an_overflow_step_makes_both_weights_infinite() {
    assert_eq!(outputs("overflow"), [f32::INFINITY; 2]);
    assert!(outputs("ordinary").iter().all(|weight| weight.is_finite()));
}

#[test]
fn a_batch_without_targets_weighs_positive_zero() {
    for name in ["no_targets", "overflow_no_targets", "report_no_targets"] {
        assert!(outputs(name).iter().all(|value| value.to_bits() == 0), "{name}");
    }
}

#[test]
fn a_count_is_not_rounded_to_f32() {
    let exact = (1.0 / 67_108_867.0_f64) as f32;
    assert_ne!(exact, 1.0 / 67_108_867.0_f32);
    assert_eq!(outputs("large_count")[0], exact);
}

#[test]
fn the_reported_total_is_the_sum_of_the_two_reported_losses() {
    let report = outputs("report");
    assert_eq!(report[0], report[1] + report[2]);
    assert_eq!(report[1], (2817.25 / 509.0_f64) as f32);
}

#[test]
fn a_negative_z_loss_is_refused() {
    let case = &LossWeights.cases()[0];
    let specs: Vec<_> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let infer = LossWeights.kernels()[0].infer;
    let mut attributes = case.attributes.clone();
    assert!(infer(&attributes, &specs).is_ok());
    attributes["z_loss"] = (-1.0).into();
    assert!(infer(&attributes, &specs).is_err());
    assert!(infer(&case.attributes, &specs[..2]).is_err());
}
