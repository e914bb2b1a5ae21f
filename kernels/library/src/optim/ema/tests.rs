use super::Ema;
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
    testing::variants_agree(&Ema);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Ema);
}

#[test]
fn a_walk_resumes_from_every_step() {
    walk::resumes_from_every_step(&Ema);
}

/// Parameter, average before and average after.
fn values(name: &str) -> [Vec<f32>; 3] {
    let case = Ema.cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let kernel = &Ema.kernels()[0];
    let context = Context::new(2, Level::detect());
    let found = run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("valid");
    [case.inputs[0].to_f32(), case.inputs[2].to_f32(), found[0].to_f32()]
}

#[test]
fn a_raised_flag_leaves_the_average_as_it_is() {
    for name in ["skipped", "any_flag"] {
        let [_, before, after] = values(name);
        assert_eq!(before, after, "{name}");
    }
}

#[test]
fn the_textbook_order_has_other_bits_than_the_contract() {
    let [p, before, after] = values("whole");
    let textbook: Vec<f32> = p.iter().zip(&before).map(|(p, e)| 0.999 * e + (1.0 - 0.999) * p).collect();
    assert_ne!(after, textbook);
}

#[test]
fn a_decay_near_one_is_not_rounded_before_it_is_subtracted() {
    let [p, before, after] = values("near_one");
    assert_eq!(0.999_999_99_f64 as f32, 1.0);
    assert_eq!(after[0], ((1.0 - 0.999_999_99_f64) as f32).mul_add(p[0] - before[0], before[0]));
    assert_ne!(after, before);
}

#[test]
fn a_decay_of_one_and_another_shape_are_refused() {
    let infer = Ema.kernels()[0].infer;
    let mut specs: Vec<_> = Ema.cases()[1].inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    assert!(infer(&json!({"decay": 0.5}), &specs).is_ok());
    assert!(infer(&json!({"decay": 1.0}), &specs).is_err());
    specs[2] = Spec::f32(&[2]);
    assert!(infer(&json!({"decay": 0.5}), &specs).is_err());
}
