use super::SquaredRelu;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Call, Room};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&SquaredRelu);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&SquaredRelu);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&SquaredRelu);
}

#[test]
fn a_maximum_that_drops_nan_is_caught() {
    testing::bits_catch(&SquaredRelu, "squared_relu", |call: &mut Call<'_, '_>| {
        let x = call.inputs[0].floats();
        let mut y = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            let r = x.get(index).max(0.0);
            y.set(index, r * r);
        }
    });
}

#[test]
fn a_gradient_that_is_skipped_below_zero_is_caught() {
    testing::bits_catch(&SquaredRelu, "squared_relu_backward", |call: &mut Call<'_, '_>| {
        let (x, dy) = (call.inputs[0].floats(), call.inputs[1].floats());
        let mut dx = call.outputs[0].reborrow().into_floats();
        for index in 0..x.len() {
            let x = x.get(index);
            dx.set(index, if x <= 0.0 { 0.0 } else { dy.get(index) * (2.0 * x) });
        }
    });
}

#[test]
fn values_by_hand() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::detect());
    let x = Tensor::from_f32(&[4], &[3.0, -3.0, -0.0, 0.5]);
    let dy = Tensor::from_f32(&[4], &[2.0, 2.0, -2.0, -1.0]);
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    for (kernel, operands, expected) in [
        ("squared_relu", vec![x.clone()], [9.0, 0.0, 0.0, 0.25]),
        ("squared_relu_backward", vec![x, dy], [12.0, 0.0, -0.0, -1.0]),
    ] {
        let kernel = registry.kernel(kernel).expect("the kernel exists");
        for variant in kernel.variants {
            let outputs = run(kernel, variant, &json!({}), &operands, 0xA5, &context).expect("valid operands");
            assert_eq!(outputs[0].view().typed::<u32>(), bits(expected), "{} {}", kernel.name, variant.name);
        }
    }
}

#[test]
fn a_gradient_in_another_dtype_is_refused() {
    let kernel = &SquaredRelu.kernels()[1];
    let error = (kernel.infer)(&json!({}), &[Spec::f32(&[2]), Spec::new(Dtype::Bf16, &[2])]).expect_err("refused");
    assert!(error.to_string().contains("x and dy alike"), "{error}");
}
