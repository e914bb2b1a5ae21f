use super::SwigluMatmulTc16;
use crate::registry::Registry;
use crate::room::Call;
use crate::tensor::{Dtype, Spec};
use crate::testing;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&SwigluMatmulTc16);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&SwigluMatmulTc16);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&SwigluMatmulTc16);
}

#[test]
fn the_fusion_gives_the_bits_of_the_composition() {
    testing::fusion_equals_composition(&SwigluMatmulTc16);
}

#[test]
fn the_gradient_of_the_fusion_has_the_bits_of_the_composition() {
    testing::fusion_gradient_equals_composition(&SwigluMatmulTc16);
}

/// The product by fp32 chains, as the `ieee` profile has it.
fn chained(call: &mut Call<'_, '_>) {
    crate::fused::swiglu_matmul::cpu::forward(call);
}

#[test]
fn fp32_chains_are_caught() {
    testing::bits_catch(&SwigluMatmulTc16, "swiglu_matmul_tc16", chained);
}

#[test]
fn operands_of_two_dtypes_or_in_f32_are_refused() {
    let registry = Registry::standard();
    let kernel = registry.kernel("swiglu_matmul_tc16").expect("a kernel of the registry");
    let infer = |gate_up: Dtype, w: Dtype| {
        let attributes = json!({"first": {}, "second": {"output": "f32"}});
        (kernel.infer)(&attributes, &[Spec::new(gate_up, &[1, 2, 6]), Spec::new(w, &[4, 3])])
    };
    assert!(infer(Dtype::Fp16, Dtype::Fp16).is_ok());
    for (gate_up, w) in [(Dtype::F32, Dtype::F32), (Dtype::Bf16, Dtype::Fp16), (Dtype::Bf16, Dtype::F32)] {
        let error = infer(gate_up, w).expect_err("dtypes that no tensor core multiplies").to_string();
        assert!(error.contains("both bf16 or both fp16"), "{error}");
    }
}
