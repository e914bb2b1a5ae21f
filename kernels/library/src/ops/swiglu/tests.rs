use super::Swiglu;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Spec, Tensor};
use crate::testing;
use numerics::math::activation::{sigmoid, silu_grad};
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Swiglu);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Swiglu);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Swiglu);
}

#[test]
fn a_product_in_another_association_is_caught() {
    testing::bits_catch(&Swiglu, "swiglu", |call| {
        let width = call.outputs[0].spec.shape[2];
        let gate_up = call.inputs[0].floats();
        let mut h = call.outputs[0].reborrow().into_floats();
        for index in 0..gate_up.len() / 2 {
            let at = index / width * 2 * width + index % width;
            let (gate, up) = (gate_up.get(at), gate_up.get(at + width));
            h.set(index, gate * (sigmoid(gate) * up));
        }
    });
}

#[test]
fn a_gradient_that_multiplies_in_another_order_is_caught() {
    testing::bits_catch(&Swiglu, "swiglu_backward", |call| {
        let width = call.inputs[1].shape()[2];
        let (gate_up, dh) = (call.inputs[0].floats(), call.inputs[1].floats());
        let mut dgate_up = call.outputs[0].reborrow().into_floats();
        for index in 0..dh.len() {
            let at = index / width * 2 * width + index % width;
            let (gate, up, dh) = (gate_up.get(at), gate_up.get(at + width), dh.get(index));
            dgate_up.set(at, dh * (up * silu_grad(gate)));
            dgate_up.set(at + width, dh * (gate * sigmoid(gate)));
        }
    });
}

#[test]
fn a_gate_of_zero_halves_the_gradient_of_up() {
    let registry = Registry::standard();
    let kernel = registry.kernel("swiglu_backward").expect("the kernel exists");
    let context = Context::new(1, Level::detect());
    let gate_up = Tensor::from_f32(&[1, 1, 4], &[0.0, 0.0, 3.0, -5.0]);
    let dh = Tensor::from_f32(&[1, 1, 2], &[2.0, 2.0]);
    for variant in kernel.variants {
        let operands = [gate_up.clone(), dh.clone()];
        let outputs = run(kernel, variant, &json!({}), &operands, 0xA5, &context).expect("valid operands");
        assert_eq!(outputs[0].to_f32(), [3.0, -5.0, 0.0, 0.0], "{}", variant.name);
    }
}

#[test]
fn an_odd_width_is_refused() {
    let error = (Swiglu.kernels()[0].infer)(&json!({}), &[Spec::f32(&[1, 2, 3])]).expect_err("odd");
    assert!(error.to_string().contains("an even width"), "{error}");
    let specs = [Spec::f32(&[1, 2, 4]), Spec::f32(&[1, 2, 4])];
    assert!((Swiglu.kernels()[1].infer)(&json!({}), &specs).is_err());
}
