use super::HeadCrossEntropyTc16;
use crate::case::Case;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Call, Room};
use crate::tensor::{Dtype, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::{Value, json};

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&HeadCrossEntropyTc16);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&HeadCrossEntropyTc16);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&HeadCrossEntropyTc16);
}

#[test]
fn the_fused_head_gives_the_bits_of_matmul_tc16_and_cross_entropy() {
    testing::fusion_equals_composition(&HeadCrossEntropyTc16);
}

#[test]
fn the_gradient_of_the_fusion_has_the_bits_of_the_composition() {
    testing::fusion_gradient_equals_composition(&HeadCrossEntropyTc16);
}

/// The products by fp32 chains, as the `ieee` profile has them.
fn chained(call: &mut Call<'_, '_>) {
    crate::fused::head_cross_entropy::cpu::forward(call);
}

fn chained_backward(call: &mut Call<'_, '_>) {
    crate::fused::head_cross_entropy::cpu::backward(call);
}

#[test]
fn fp32_chains_are_caught() {
    testing::bits_catch(&HeadCrossEntropyTc16, "head_cross_entropy_tc16", chained);
    testing::bits_catch(&HeadCrossEntropyTc16, "head_cross_entropy_tc16_backward", chained_backward);
}

fn execute(kernel: &str, attributes: &Value, inputs: &[Tensor]) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(kernel).expect("a kernel of the registry");
    run(kernel, kernel.fastest(), attributes, inputs, 0xA5, &Context::new(2, Level::detect())).expect("valid operands")
}

fn case(name: &str) -> Case {
    HeadCrossEntropyTc16.cases().into_iter().find(|case| case.name == name).expect("a case of this name")
}

#[test]
fn steps_of_dx_that_start_again_at_each_block_have_other_bits() {
    let case = case("block_and_a_half_backward");
    let [x, w, targets, lse, weights] = &case.inputs[..] else { panic!("five inputs") };
    let logits = execute("matmul_tc16", &json!({"output": "f32"}), &[x.clone(), w.clone()]).remove(0);
    let inputs = [logits, targets.clone(), lse.clone(), weights.clone()];
    let dlogits = execute("cross_entropy_backward", &case.attributes["second"], &inputs).remove(0);
    let [units, positions, width] = x.spec.shape[..] else { panic!("three axes") };
    let columns = w.spec.shape[0];
    let (rows, weights) = (dlogits.to_f32(), w.to_f32());
    let part = |first: usize, count: usize| {
        let rows: Vec<f32> = rows.chunks(columns).flat_map(|row| &row[first..first + count]).copied().collect();
        let dy = Tensor::from_f32_as(Dtype::Bf16, &[units, positions, count], &rows);
        let w = Tensor::from_f32_as(Dtype::Bf16, &[count, width], &weights[first * width..][..count * width]);
        execute("matmul_tc16_dgrad", &json!({"output": "f32"}), &[dy, w]).remove(0).to_f32()
    };
    let restarted: Vec<f32> = part(0, 1024).iter().zip(part(1024, columns - 1024)).map(|(a, b)| a + b).collect();
    let found = execute(case.kernel, &case.attributes, &case.inputs).remove(0);
    assert_eq!(found, Tensor::from_f32_as(Dtype::Bf16, &x.spec.shape, &part(0, columns)));
    assert_ne!(part(0, columns), restarted);
}

#[test]
fn operands_of_two_dtypes_and_dlogits_that_would_be_rounded_twice_are_refused() {
    let case = case("fp16");
    let mut specs: Vec<_> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let infer = HeadCrossEntropyTc16.kernels()[0].infer;
    let attributes = |logits: &str, dlogits: &str| json!({"first": {"output": logits}, "second": {"output": dlogits}});
    assert!(infer(&attributes("f32", "f32"), &specs).is_ok());
    assert!(infer(&attributes("f32", "fp16"), &specs).is_ok());
    let error = infer(&attributes("f32", "bf16"), &specs).expect_err("bf16, then fp16").to_string();
    assert!(error.contains("a second output of f32 or their dtype"), "{error}");
    let error = infer(&attributes("fp16", "fp16"), &specs).expect_err("fp16 logits").to_string();
    assert!(error.ends_with("expected logits (first output) in f32; found fp16"), "{error}");
    specs[1].dtype = Dtype::Bf16;
    assert!(infer(&attributes("f32", "fp16"), &specs).is_err());
}
