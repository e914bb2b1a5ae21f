use super::Clip;
use crate::context::Context;
use crate::eager::run;
use crate::room::Room;
use crate::tensor::Spec;
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Clip);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Clip);
}

fn coefficient(name: &str) -> f32 {
    let case = Clip.cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let kernel = &Clip.kernels()[0];
    let context = Context::new(1, Level::Scalar);
    run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid")[0].to_f32()[0]
}

#[test]
fn a_gradient_within_the_limit_only_loses_its_scale() {
    assert_eq!(coefficient("below"), 1.0);
    assert_eq!(coefficient("zero"), 0.125);
}

#[test]
fn a_gradient_at_the_limit_is_shortened_by_the_constant() {
    assert_eq!(coefficient("at_limit"), 0.75 / (0.75 + 1e-6));
    assert!(coefficient("at_limit") < 1.0);
}

#[test]
fn the_quotient_is_divided_and_not_multiplied_by_a_reciprocal() {
    let norm = 7.0_f32 + 1e-6;
    assert_eq!(coefficient("prime"), 0.75 / norm * 0.125);
    assert_eq!(coefficient("scaled"), 0.75 / (3.0 + 1e-6) / 65536.0);
}

#[test]
fn a_limit_of_zero_is_refused() {
    let infer = Clip.kernels()[0].infer;
    let scalars = [Spec::f32(&[1]), Spec::f32(&[1])];
    assert!(infer(&json!({"max_norm": 1.0}), &scalars).is_ok());
    assert!(infer(&json!({"max_norm": 0.0}), &scalars).is_err());
    assert!(infer(&json!({"max_norm": 1.0}), &scalars[..1]).is_err());
}
