use super::{GradAdd, MOST};
use crate::room::Room;
use crate::tensor::{Dtype, Spec};
use crate::testing;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&GradAdd);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&GradAdd);
}

#[test]
fn a_descending_sum_is_caught() {
    testing::bits_catch(&GradAdd, "grad_add", |call| {
        let mut sum = call.outputs[0].reborrow().into_floats();
        for index in 0..call.inputs[0].spec.elements() {
            let terms = call.inputs.iter().rev().map(|contribution| contribution.floats().get(index));
            sum.set(index, terms.reduce(|sum, term| sum + term).expect("there are contributions"));
        }
    });
}

#[test]
fn a_sum_that_starts_from_positive_zero_is_caught() {
    testing::bits_catch(&GradAdd, "grad_add", |call| {
        let mut sum = call.outputs[0].reborrow().into_floats();
        for index in 0..call.inputs[0].spec.elements() {
            sum.set(index, call.inputs.iter().fold(0.0, |sum, term| sum + term.floats().get(index)));
        }
    });
}

#[test]
fn two_to_eight_contributions_are_accepted_and_no_other_count() {
    let kernel = &GradAdd.kernels()[0];
    for count in 0..=MOST + 1 {
        let specs = vec![Spec::f32(&[2, 3]); count];
        assert_eq!((kernel.infer)(&json!({}), &specs).is_ok(), (2..=MOST).contains(&count), "{count} contributions");
    }
}

#[test]
fn contributions_that_differ_are_refused() {
    let kernel = &GradAdd.kernels()[0];
    let specs = [Spec::f32(&[2, 3]), Spec::f32(&[2, 3]), Spec::new(Dtype::Bf16, &[2, 3])];
    let error = (kernel.infer)(&json!({}), &specs).expect_err("the third differs");
    assert!(error.to_string().contains("contributions alike"), "{error}");
}
