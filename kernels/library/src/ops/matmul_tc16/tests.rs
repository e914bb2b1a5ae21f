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
