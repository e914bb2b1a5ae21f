use super::ResidualAdd;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&ResidualAdd);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&ResidualAdd);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&ResidualAdd);
}

#[test]
fn a_sum_that_is_truncated_to_bf16_is_caught() {
    testing::bits_catch(&ResidualAdd, "residual_add", |call| {
        let (x, a) = (call.inputs[0].floats(), call.inputs[1].floats());
        let mut y = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            y.set(index, f32::from_bits((x.get(index) + a.get(index)).to_bits() & 0xFFFF_0000));
        }
    });
}

#[test]
fn halves_of_a_bf16_step_go_to_the_even_neighbour() {
    let registry = Registry::standard();
    let kernel = registry.kernel("residual_add").expect("the kernel exists");
    let tensor = |values: &[f32]| Tensor::from_f32_as(Dtype::Bf16, &[1, 1, 2], values);
    let operands = [tensor(&[1.0, 1.0078125]), tensor(&[0.00390625, 0.00390625])];
    let context = Context::new(1, Level::detect());
    for variant in kernel.variants {
        let outputs = run(kernel, variant, &json!({}), &operands, 0xA5, &context).expect("operands are alike");
        assert_eq!(outputs[0].to_f32(), [1.0, 1.015625]);
    }
}

#[test]
fn operands_that_differ_in_dtype_or_shape_are_refused() {
    let kernel = &ResidualAdd.kernels()[0];
    let x = Spec::f32(&[1, 2, 3]);
    for a in [Spec::new(Dtype::Bf16, &[1, 2, 3]), Spec::f32(&[1, 3, 2])] {
        let error = (kernel.infer)(&json!({}), &[x.clone(), a]).expect_err("operands differ");
        assert!(error.to_string().contains("x and a alike"), "{error}");
    }
}
