use super::MatmulTc16;
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
    testing::variants_agree(&MatmulTc16);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&MatmulTc16);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&MatmulTc16);
}

fn by(variant: &Variant, case: &Case) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(case.kernel).expect("a kernel of the registry");
    let context = Context::new(2, Level::detect());
    run(kernel, variant, &case.attributes, &case.inputs, 0xA5, &context).expect("a case is accepted")
}

fn fastest(case: &Case) -> Vec<Tensor> {
    by(Registry::standard().kernel(case.kernel).expect("a kernel of the registry").fastest(), case)
}

fn case(name: &str) -> Case {
    MatmulTc16.cases().into_iter().find(|case| case.name == name).expect("a case of the room")
}

#[test]
fn a_term_of_two_to_the_minus_25_counts_and_one_of_two_to_the_minus_26_does_not() {
    let base = 1.0;
    assert_eq!(fastest(&case("cut_away"))[0].to_f32(), [base]);
    // Two terms of 2^-25 are 2^-24, which the 23 fraction bits of a result near 1 do not show.
    assert_eq!(fastest(&case("just_kept"))[0].to_f32(), [base]);
    for (name, expected) in [("cut_away", 0.0), ("just_kept", 1.0 / f32::from_bits(0x4B80_0000))] {
        let mut cancelled = case(name);
        let mut x = cancelled.inputs[0].to_f32();
        let mut w = cancelled.inputs[1].to_f32();
        (x[3], w[3]) = (-1.0, 1.0);
        cancelled.inputs[0] = Tensor::from_f32_as(Dtype::Bf16, &[1, 1, 4], &x);
        cancelled.inputs[1] = Tensor::from_f32_as(Dtype::Bf16, &[1, 4], &w);
        assert_eq!(fastest(&cancelled)[0].to_f32(), [expected], "{name}");
    }
}

/// A product by fp32 chains, as the `ieee` profile has it.
fn chained(call: &mut Call<'_, '_>) {
    crate::ops::matmul::forward_by(call, crate::ops::matmul::Arithmetic::Chain);
}

#[test]
fn fp32_chains_have_other_bits() {
    for name in ["one_step", "prime", "wild"] {
        let case = case(name);
        assert_ne!(by(&Variant { name: "mutant", run: chained }, &case), fastest(&case), "{name}");
    }
}

#[test]
fn operands_of_two_dtypes_or_in_f32_are_refused() {
    let registry = Registry::standard();
    let kernel = registry.kernel("matmul_tc16").expect("a kernel of the registry");
    let infer = |x: Dtype, w: Dtype, output: &str| {
        (kernel.infer)(&json!({ "output": output }), &[Spec::new(x, &[2, 3, 4]), Spec::new(w, &[5, 4])])
    };
    assert_eq!(infer(Dtype::Fp16, Dtype::Fp16, "fp16"), Ok(vec![Spec::new(Dtype::Fp16, &[2, 3, 5])]));
    for (x, w) in [(Dtype::Bf16, Dtype::Fp16), (Dtype::F32, Dtype::F32), (Dtype::Bf16, Dtype::F32)] {
        let error = infer(x, w, "f32").expect_err("dtypes that no tensor core multiplies").to_string();
        assert!(error.contains("both bf16 or both fp16"), "{error}");
    }
    assert!(infer(Dtype::Bf16, Dtype::Bf16, "u8").is_err());
}

/// Matrix `at` of a batch, alone.
fn alone(batch: &Tensor, at: usize) -> Tensor {
    let shape = &batch.spec.shape[1..];
    let size: usize = shape.iter().product();
    Tensor::from_f32_as(batch.spec.dtype, shape, &batch.to_f32()[at * size..][..size])
}

fn in_one_unit(matrix: &Tensor) -> Tensor {
    let [rows, cols] = matrix.spec.shape[..] else { panic!("a matrix") };
    Tensor::from_f32_as(matrix.spec.dtype, &[1, rows, cols], &matrix.to_f32())
}

#[test]
fn each_matrix_of_a_batch_has_the_bits_of_the_linear_layer_with_this_order() {
    let product = |kernel, inputs: [Tensor; 2]| {
        let attributes = if kernel == "matmul_tc16_wgrad" { json!({}) } else { json!({"output": "f32"}) };
        fastest(&Case::new("", kernel, "", attributes, inputs.to_vec())).remove(0).to_f32()
    };
    for (name, kernel) in [
        ("batched_prime_nt", "matmul_tc16"),
        ("batched_prime_nn", "matmul_tc16_dgrad"),
        ("batched_prime_tn", "matmul_tc16_wgrad"),
    ] {
        let case = case(name);
        let batch = fastest(&case).remove(0);
        for at in 0..batch.spec.shape[0] {
            let (a, b) = (alone(&case.inputs[0], at), alone(&case.inputs[1], at));
            let b = if kernel == "matmul_tc16_wgrad" { in_one_unit(&b) } else { b };
            assert_eq!(alone(&batch, at).to_f32(), product(kernel, [in_one_unit(&a), b]), "{name}, matrix {at}");
        }
    }
}

#[test]
fn a_product_of_a_matrix_with_itself_is_symmetric() {
    let gram = fastest(&case("batched_gram")).remove(0);
    let [count, side, _] = gram.spec.shape[..] else { panic!("three axes") };
    let values = gram.to_f32();
    for (matrix, row, column) in (0..count * side * side).map(|at| (at / (side * side), at / side % side, at % side)) {
        let element = |row: usize, column: usize| values[(matrix * side + row) * side + column];
        assert_eq!(element(row, column), element(column, row), "matrix {matrix}, row {row}, column {column}");
    }
}

/// A batch of which every product reads the first B.
fn with_the_first_b(call: &mut Call<'_, '_>) {
    let [a, b] = call.inputs else { panic!("two inputs") };
    let count = b.shape()[0];
    let repeated = b.bytes[..b.bytes.len() / count.max(1)].repeat(count);
    let shared = Tensor::from_bytes(b.spec.clone(), &repeated);
    let inputs = [*a, shared.view()];
    super::cpu::batched(&mut Call {
        attributes: call.attributes,
        inputs: &inputs,
        outputs: &mut *call.outputs,
        context: call.context,
    });
}

#[test]
fn a_batch_that_shares_one_operand_is_caught() {
    testing::bits_catch(&MatmulTc16, "matmul_tc16_batched", with_the_first_b);
}

#[test]
fn matrices_that_do_not_fit_and_batches_of_two_lengths_are_refused() {
    let registry = Registry::standard();
    let kernel = registry.kernel("matmul_tc16_batched").expect("a kernel of the registry");
    let infer = |transpose_b: bool, a: &[usize], b: &[usize]| {
        let attributes = json!({"transpose_b": transpose_b, "output": "f32"});
        (kernel.infer)(&attributes, &[Spec::new(Dtype::Bf16, a), Spec::new(Dtype::Bf16, b)])
    };
    assert_eq!(infer(false, &[2, 3, 4], &[2, 4, 5]), Ok(vec![Spec::f32(&[2, 3, 5])]));
    assert_eq!(infer(true, &[2, 3, 4], &[2, 5, 4]), Ok(vec![Spec::f32(&[2, 3, 5])]));
    assert!(infer(true, &[2, 3, 4], &[2, 4, 5]).is_err());
    let error = infer(false, &[2, 3, 4], &[3, 4, 5]).expect_err("two lengths").to_string();
    assert!(error.contains("[2, 3, 4]") && error.contains("[3, 4, 5]"), "{error}");
}
