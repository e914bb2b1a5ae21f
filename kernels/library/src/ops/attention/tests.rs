use super::{Attention, Attributes, cases};
use crate::case::{Case, Draw};
use crate::check;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Call, Room, Variant};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::math;
use numerics::simd::Level;
use serde_json::{Value, json};

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Attention);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Attention);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Attention);
}

#[test]
fn outputs_are_right_where_gradients_are_exactly_zero_too() {
    let registry = Registry::standard();
    let context = Context::new(2, Level::detect());
    let mut compared = 0;
    for case in Attention.cases().iter().filter(|case| cases::FLAT.contains(&case.name.as_str())) {
        let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
        let oracle = Attention.oracle(case.kernel).expect("the room has an oracle");
        for checked in check::outputs(kernel, kernel.fastest(), &oracle, case, &context).expect("a case is accepted") {
            assert!(checked.right(), "{}: {checked:?}", case.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * cases::FLAT.len());
}

fn attributes(query_heads: usize, kv_heads: usize, head_width: usize, row_tokens: usize) -> Value {
    serde_json::to_value(Attributes { query_heads, kv_heads, head_width, row_tokens }).expect("plain numbers")
}

fn execute(kernel: &str, attributes: &Value, inputs: &[Tensor]) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(kernel).expect("a kernel of the registry");
    run(kernel, kernel.fastest(), attributes, inputs, 0xA5, &Context::new(2, Level::detect()))
        .expect("operands that fit")
}

fn document_start(starts: &[i32]) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::I32, &[1, starts.len()]), bytemuck::cast_slice(starts))
}

fn case(name: &str) -> Case {
    Attention.cases().into_iter().find(|case| case.name == name).expect("a case of the room")
}

#[test]
fn a_lone_token_gives_its_own_value_and_its_score_in_base_two() {
    let qkv = Tensor::from_f32(&[1, 1, 12], &[1.0, 2.0, 3.0, 4.0, 0.5, 0.5, 0.5, 0.5, 7.0, -8.0, 0.25, -0.0]);
    let outputs = execute("attention", &attributes(1, 1, 4, 1), &[qkv, document_start(&[0])]);
    // The score is 5, c is half of log2 e, and the largest score's own weight is 2 to what RN(5·c) left over.
    let c = std::f32::consts::LOG2_E / 2.0;
    let weight = math::exp2_poly5(5.0_f32.mul_add(c, -(5.0 * c)));
    let lse2 = math::log(weight).mul_add(std::f32::consts::LOG2_E, 5.0 * c);
    assert_eq!(outputs[1].to_f32(), [lse2]);
    let expected = [7.0, -8.0, 0.25, 0.0].map(|v: f32| weight.mul_add(v, 0.0) * (1.0 / weight));
    assert_eq!(bits(&outputs[0].to_f32()), bits(&expected));
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn equal_scores_give_the_mean_of_the_visible_values() {
    let mut values = vec![0.0; 4 * 3];
    (0..4).for_each(|i| values[i * 3 + 2] = [8.0, 4.0, 2.0, 6.0][i]);
    let qkv = Tensor::from_f32(&[1, 4, 3], &values);
    let outputs = execute("attention", &attributes(1, 1, 1, 4), &[qkv, document_start(&[0, 0, 2, 2])]);
    assert_eq!(outputs[0].to_f32(), [8.0, 6.0, 2.0, 4.0]);
    assert_eq!(outputs[1].to_f32(), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn another_document_changes_no_bit_of_a_document() {
    let case = case("start_at_129");
    let mut other = case.clone();
    let (first, width) = (129, case.inputs[0].spec.shape[2]);
    let noise = Draw::new(9).normal(case.inputs[0].spec.dtype, &[1, first, width], 30.0);
    let bytes = noise.bytes().len();
    other.inputs[0].bytes_mut()[..bytes].copy_from_slice(noise.bytes());
    let [one, two] = [&case, &other].map(|case| execute("attention", &case.attributes, &case.inputs)[0].clone());
    let kept = first * one.spec.shape[2] * one.spec.dtype.bytes();
    assert_eq!(one.bytes()[kept..], two.bytes()[kept..]);
    assert_ne!(one.bytes()[..kept], two.bytes()[..kept]);
}

#[test]
fn a_position_that_sees_nothing_gives_zero_and_minus_infinity() {
    let case = case("sees_nothing");
    let outputs = execute("attention", &case.attributes, &case.inputs);
    assert_eq!(bits(&outputs[0].to_f32()[..8]), [0; 8]);
    assert_eq!(outputs[1].to_f32()[0], f32::NEG_INFINITY);
    let case = self::case("sees_nothing_backward");
    let dqkv = execute("attention_backward", &case.attributes, &case.inputs)[0].to_f32();
    // Position 3 sees nothing: no gradient of its queries. Position 4 and others see its key and value.
    assert_eq!(bits(&dqkv[3 * 16..][..8]), [0; 8]);
    assert!(dqkv[3 * 16 + 8..][..8].iter().all(|value| *value != 0.0));
}

#[test]
fn an_invisible_infinity_reaches_no_row() {
    let case = case("not_finite");
    let o = execute("attention", &case.attributes, &case.inputs)[0].to_f32();
    // Documents start at 0, 20, 60 and 95; the second and third hold an infinite value or key, the first a NaN query.
    assert!(o[5 * 8..20 * 8].iter().all(|value| value.is_finite()));
    assert!(o[95 * 8..130 * 8].iter().all(|value| value.is_finite()));
    assert!(o[100 * 8..].iter().any(|value| value.is_nan()));
}

/// A reference on documents that all begin with the row.
fn without_documents(call: &mut Call<'_, '_>, reference: fn(&mut Call<'_, '_>)) {
    let mut inputs = call.inputs.to_vec();
    let starts = Tensor::zeros(inputs.pop().expect("document_start is the last input").spec.clone());
    inputs.push(starts.view());
    reference(&mut Call { attributes: call.attributes, inputs: &inputs, outputs: call.outputs, context: call.context });
}

#[test]
fn a_variant_that_ignores_documents_has_other_bits() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::Scalar);
    let forward = Variant { name: "mutant", run: |call| without_documents(call, super::reference::forward) };
    let backward = Variant { name: "mutant", run: |call| without_documents(call, super::reference::backward) };
    for (name, mutant) in [("start_at_127", forward), ("start_at_127_backward", backward)] {
        let case = case(name);
        let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
        let found = run(kernel, &mutant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted");
        assert_ne!(found, execute(case.kernel, &case.attributes, &case.inputs), "{name}");
    }
}

/// The backward reference with P and dS of bf16 storage left in f32.
fn without_rounding(call: &mut Call<'_, '_>) {
    let wide: Vec<Tensor> = call
        .inputs
        .iter()
        .map(|input| match input.spec.dtype {
            Dtype::Bf16 => {
                let values: Vec<f32> = (0..input.spec.elements()).map(|at| input.floats().get(at)).collect();
                Tensor::from_f32(input.shape(), &values)
            }
            _ => Tensor::from_bytes(input.spec.clone(), input.bytes),
        })
        .collect();
    let gradient = execute("attention_backward", call.attributes, &wide).remove(0).to_f32();
    call.outputs[0].reborrow().into_floats().store(0, &gradient);
}

#[test]
fn a_gradient_from_unrounded_weights_has_other_bits() {
    let case = case("bf16_backward");
    let registry = Registry::standard();
    let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
    let mutant = Variant { name: "mutant", run: without_rounding };
    let context = Context::new(1, Level::Scalar);
    let found = run(kernel, &mutant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted");
    assert_ne!(found, execute(case.kernel, &case.attributes, &case.inputs));
}

#[test]
fn heads_that_do_not_divide_are_refused_with_what_was_found() {
    let registry = Registry::standard();
    let kernel = registry.kernel("attention").expect("a kernel of the registry");
    let inputs = |width| [Spec::f32(&[1, 4, width]), Spec::new(Dtype::I32, &[1, 4])];
    let infer = |attributes: &Value, width| (kernel.infer)(attributes, &inputs(width));
    let specs = infer(&attributes(4, 2, 3, 2), 24).expect("operands that fit");
    assert_eq!(specs, [Spec::f32(&[1, 4, 12]), Spec::f32(&[1, 4, 4])]);
    for refused in [attributes(3, 2, 3, 2), attributes(4, 0, 3, 2), attributes(4, 2, 3, 3), attributes(4, 2, 4, 2)] {
        let error = infer(&refused, 24).expect_err("heads or rows do not fit").to_string();
        assert!(error.contains("query_heads") && error.contains("[1, 4, 24]"), "{error}");
    }
    assert!(infer(&json!({"query_heads": 1}), 24).is_err());
}
