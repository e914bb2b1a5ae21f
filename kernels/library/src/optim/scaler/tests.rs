use super::Scaler;
use crate::context::Context;
use crate::eager::run;
use crate::optim::walk;
use crate::room::Room;
use crate::tensor::Spec;
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Scaler);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Scaler);
}

#[test]
fn a_walk_resumes_from_every_step() {
    walk::resumes_from_every_step(&Scaler);
}

fn state(name: &str) -> (f32, u32, u64) {
    let case = Scaler.cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let kernel = &Scaler.kernels()[0];
    let context = Context::new(1, Level::Scalar);
    let state = run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid");
    (state[0].to_f32()[0], state[1].view().typed::<u32>()[0], state[2].view().typed::<u64>()[0])
}

#[test]
fn the_scale_doubles_after_a_streak_and_halves_at_once() {
    assert_eq!(state("applied"), (1024.0, 1, 8));
    assert_eq!(state("growth"), (2048.0, 0, 8));
    assert_eq!(state("overflow"), (512.0, 0, 7));
}

#[test]
fn the_scale_stays_within_its_limits() {
    assert_eq!(state("growth_at_the_limit"), (65536.0, 0, 8));
    assert_eq!(state("overflow_at_the_limit"), (1.0, 0, 7));
    assert_eq!(state("constant"), (1.0, 0, 4));
}

#[test]
fn applied_steps_are_counted_beyond_32_bits() {
    assert_eq!(state("long_run").2, 1 << 32);
}

#[test]
fn limits_that_are_no_powers_of_two_are_refused() {
    let infer = Scaler.kernels()[0].infer;
    let specs: Vec<Spec> = Scaler.cases()[0].inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let attributes =
        |interval: u32, max: f32, min: f32| json!({"growth_interval": interval, "max_scale": max, "min_scale": min});
    assert!(infer(&attributes(2000, 65536.0, 1.0), &specs).is_ok());
    assert!(infer(&attributes(0, 65536.0, 1.0), &specs).is_err());
    assert!(infer(&attributes(2000, 65535.0, 1.0), &specs).is_err());
    assert!(infer(&attributes(2000, 1.0, 2.0), &specs).is_err());
    assert!(infer(&attributes(2000, 65536.0, 1.0), &specs[1..]).is_err());
}
