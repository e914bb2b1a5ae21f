use super::SwigluMatmul;
use crate::context::Context;
use crate::eager::{Tape, run};
use crate::registry::Registry;
use crate::room::{Builder, Forward, REFERENCE, Room};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&SwigluMatmul);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&SwigluMatmul);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&SwigluMatmul);
}

#[test]
fn the_fusion_gives_the_bits_of_the_composition() {
    testing::fusion_equals_composition(&SwigluMatmul);
}

#[test]
fn the_gradient_of_the_fusion_has_the_bits_of_the_composition() {
    testing::fusion_gradient_equals_composition(&SwigluMatmul);
}

#[test]
fn the_product_reads_the_rounded_activation() {
    // silu of so large a gate is the gate: h is 258·(1 + 2^-7) = 260.015625, which bf16 rounds down.
    let gate_up = Tensor::from_f32_as(Dtype::Bf16, &[1, 1, 2], &[258.0, 1.0078125]);
    let w = Tensor::from_f32(&[1, 1], &[1.0]);
    let registry = Registry::standard();
    let kernel = registry.kernel("swiglu_matmul").expect("a kernel of the registry");
    let attributes = json!({"first": {}, "second": {"output": "f32"}});
    let context = Context::new(2, Level::detect());
    for variant in kernel.variants {
        let outputs = run(kernel, variant, &attributes, &[gate_up.clone(), w.clone()], 0xA5, &context)
            .expect("operands that fit");
        assert_eq!(outputs[0].to_f32(), [260.0]);
        assert_eq!(outputs[1].to_f32(), [260.0], "{} multiplies the unrounded 260.015625", variant.name);
    }
}

#[test]
fn an_activation_with_a_second_reader_has_no_fused_gradient() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::Scalar);
    let mut tape = Tape::new(&registry, &context, REFERENCE);
    let case = SwigluMatmul.cases().into_iter().find(|case| case.name == "one").expect("a case of the room");
    let inputs: Vec<_> = case.inputs.iter().map(|tensor| tape.input(tensor.clone())).collect();
    let outputs = tape.node(case.kernel, case.attributes.clone(), &inputs).expect("a case is accepted");
    let gradients = [Some(outputs[0]), Some(outputs[1])];
    let forward = Forward {
        kernel: case.kernel,
        attributes: &case.attributes,
        inputs: &inputs,
        outputs: &outputs,
        gradients: &gradients,
    };
    let error = SwigluMatmul.backward(&forward, &mut tape).expect_err("h has a gradient of its own");
    assert_eq!(error.found, "a gradient of h");
}

#[test]
fn operands_that_do_not_fit_are_refused_with_both_shapes() {
    let registry = Registry::standard();
    let kernel = registry.kernel("swiglu_matmul").expect("a kernel of the registry");
    let attributes = json!({"first": {}, "second": {"output": "f32"}});
    let error = (kernel.infer)(&attributes, &[Spec::f32(&[1, 2, 6]), Spec::f32(&[4, 6])])
        .expect_err("w has twice the columns of h")
        .to_string();
    assert!(error.contains("[1, 2, 6]") && error.contains("[4, 6]"), "{error}");
}
