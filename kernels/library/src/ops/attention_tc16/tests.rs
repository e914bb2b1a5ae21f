use super::AttentionTc16;
use crate::case::{Case, Draw};
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Call, Room, Variant};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&AttentionTc16);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&AttentionTc16);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&AttentionTc16);
}

fn by(variant: &Variant, case: &Case) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
    run(kernel, variant, &case.attributes, &case.inputs, 0xA5, &Context::new(2, Level::detect()))
        .expect("a case is accepted")
}

fn fastest(case: &Case) -> Vec<Tensor> {
    by(Registry::standard().kernel(case.kernel).expect("a kernel of the registry").fastest(), case)
}

fn case(name: &str) -> Case {
    AttentionTc16.cases().into_iter().find(|case| case.name == name).expect("a case of the room")
}

/// `attention` itself, by fp32 chains.
fn chained(call: &mut Call<'_, '_>) {
    crate::ops::attention::forward_by(call, crate::ops::matmul::Arithmetic::Chain);
}

#[test]
fn fp32_chains_have_other_bits() {
    let case = case("two_blocks");
    assert_ne!(by(&Variant { name: "mutant", run: chained }, &case), fastest(&case));
}

#[test]
fn an_infinity_that_a_row_does_not_see_reaches_the_rows_from_its_block_on() {
    let (tokens, width, at) = (300, 12, 140);
    let mut values = Draw::new(1).normal(Dtype::Bf16, &[1, tokens, width], 1.0).to_f32();
    values[at * width + 8] = f32::INFINITY;
    let starts: Vec<i32> = (0..tokens as i32).map(|i| if i < 200 { 0 } else { 200 }).collect();
    let document_start = Tensor::from_bytes(Spec::new(Dtype::I32, &[1, tokens]), bytemuck::cast_slice(&starts));
    let attributes = json!({"query_heads": 1, "kv_heads": 1, "head_width": 4, "row_tokens": tokens});
    let qkv = Tensor::from_f32_as(Dtype::Bf16, &[1, tokens, width], &values);
    let case = Case::new("", "attention_tc16", "", attributes, vec![qkv, document_start]);
    let registry = Registry::standard();
    let kernel = registry.kernel("attention_tc16").expect("a kernel of the registry");
    let outputs = [by(kernel.reference(), &case), fastest(&case)];
    assert_eq!(outputs[0], outputs[1]);
    let first_channel: Vec<bool> = outputs[0][0].to_f32().chunks(4).map(|o| o[0].is_finite()).collect();
    let expected: Vec<bool> = (0..tokens).map(|i| i < 128).collect();
    assert_eq!(first_channel, expected, "the block of the infinity is 128..256, and later rows meet it too");
}

#[test]
fn a_dtype_that_no_tensor_core_multiplies_is_refused() {
    let registry = Registry::standard();
    let kernel = registry.kernel("attention_tc16").expect("a kernel of the registry");
    let attributes = json!({"query_heads": 1, "kv_heads": 1, "head_width": 4, "row_tokens": 4});
    let inputs = [Spec::f32(&[1, 4, 12]), Spec::new(Dtype::I32, &[1, 4])];
    let error = (kernel.infer)(&attributes, &inputs).expect_err("f32").to_string();
    assert!(error.contains("qkv in bf16 or fp16") && error.contains("f32"), "{error}");
}
