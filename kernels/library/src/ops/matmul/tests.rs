use super::Matmul;
use crate::case::Case;
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
    testing::variants_agree(&Matmul);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Matmul);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Matmul);
}

fn fastest(case: &Case) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
    let context = Context::new(2, Level::detect());
    run(kernel, kernel.fastest(), &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted")
}

fn case(name: &str) -> Case {
    Matmul.cases().into_iter().find(|case| case.name == name).expect("a case of the room")
}

#[test]
fn terms_are_added_in_ascending_order() {
    // 1 + 3e-8 is 1 and stays it; adding the small terms first would give 6e-8.
    assert_eq!(fastest(&case("cancelling"))[0].to_f32(), [0.0]);
}

#[test]
fn a_product_is_not_rounded_before_it_is_added() {
    let x = 1.0 + f32::EPSILON;
    let inputs = vec![Tensor::from_f32(&[1, 1, 2], &[1.0, x]), Tensor::from_f32(&[1, 2], &[-(x * x), x])];
    let case = Case::new("", "matmul", "", json!({"output": "f32"}), inputs);
    assert_eq!(fastest(&case)[0].to_f32(), [f32::EPSILON * f32::EPSILON]);
}

#[test]
fn zero_padding_of_k_changes_no_bit() {
    let plain = case("negative_zero");
    let pad = |tensor: &Tensor, shape: &[usize]| {
        let values: Vec<f32> = tensor.to_f32().chunks(3).flat_map(|row| [row, &[0.0; 2]].concat()).collect();
        Tensor::from_f32(shape, &values)
    };
    let mut padded = plain.clone();
    padded.inputs = vec![pad(&plain.inputs[0], &[1, 2, 5]), pad(&plain.inputs[1], &[2, 5])];
    assert_eq!(fastest(&plain), fastest(&padded));
}

#[test]
fn rows_of_a_batch_have_the_bits_that_they_have_alone() {
    let whole = case("prime");
    let mut alone = whole.clone();
    let k = whole.inputs[0].spec.shape[2];
    alone.inputs[0] = Tensor::from_f32(&[1, 1, k], &whole.inputs[0].to_f32()[50 * k..51 * k]);
    let n = whole.inputs[1].spec.shape[0];
    assert_eq!(fastest(&alone)[0].to_f32(), fastest(&whole)[0].to_f32()[50 * n..51 * n]);
}

/// The forward product with its chain run backwards.
fn descending(call: &mut Call<'_, '_>) {
    let (k, n) = (call.inputs[1].shape()[1], call.inputs[1].shape()[0]);
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut y = call.outputs[0].reborrow().into_floats();
    for row in 0..x.len() / k {
        for column in 0..n {
            let terms = (0..k).rev();
            let sum = terms.fold(0.0, |sum: f32, term| x.get(row * k + term).mul_add(w.get(column * k + term), sum));
            y.set(row * n + column, sum);
        }
    }
}

#[test]
fn a_variant_with_a_descending_chain_has_other_bits() {
    let case = case("prime");
    let registry = Registry::standard();
    let kernel = registry.kernel("matmul").expect("a kernel of the registry");
    let mutant = Variant { name: "mutant", run: descending };
    let context = Context::new(1, Level::Scalar);
    let found = run(kernel, &mutant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted");
    assert_ne!(found, fastest(&case));
}

/// The weight gradient with each unit continuing the one before.
fn running_over_units(call: &mut Call<'_, '_>) {
    super::reference::wgrad(call);
    let slice: usize = call.outputs[0].spec.shape[1..].iter().product();
    let dw: &mut [f32] = call.outputs[0].reborrow().into_typed();
    (slice..dw.len()).for_each(|at| dw[at] += dw[at - slice]);
}

#[test]
fn a_weight_gradient_that_continues_the_unit_before_has_other_bits() {
    let registry = Registry::standard();
    let kernel = registry.kernel("matmul_wgrad").expect("a kernel of the registry");
    let mutant = Variant { name: "mutant", run: running_over_units };
    let context = Context::new(1, Level::Scalar);
    for (name, caught) in [("many_units_wgrad", true), ("few_rows_wgrad", false)] {
        let case = case(name);
        let found = run(kernel, &mutant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted");
        assert_eq!(found != fastest(&case), caught, "{name}: only several units show it");
    }
}

#[test]
fn operands_that_do_not_fit_are_refused_with_both_shapes() {
    let registry = Registry::standard();
    let kernel = registry.kernel("matmul").expect("a kernel of the registry");
    let infer = |output, x: &[usize], w: &[usize]| {
        (kernel.infer)(&json!({ "output": output }), &[Spec::f32(x), Spec::new(Dtype::Bf16, w)])
    };
    assert_eq!(infer("bf16", &[2, 3, 4], &[5, 4]), Ok(vec![Spec::new(Dtype::Bf16, &[2, 3, 5])]));
    let error = infer("f32", &[2, 3, 4], &[4, 5]).expect_err("K differs").to_string();
    assert!(error.contains("[2, 3, 4]") && error.contains("[4, 5]"), "{error}");
    let error = infer("i32", &[2, 3, 4], &[5, 4]).expect_err("an integer output").to_string();
    assert!(error.contains("i32"), "{error}");
}
