use super::Embedding;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::format::NAN_BITS;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Embedding);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Embedding);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&Embedding);
}

#[test]
fn a_scatter_in_one_chain_is_caught() {
    testing::bits_catch(&Embedding, "embedding_backward", |call| {
        let [_, vocabulary, width] = call.outputs[0].spec.shape[..] else { unreachable!("three axes") };
        let (tokens, dy) = (call.inputs[0].typed::<u32>(), call.inputs[1].f32());
        let positions = call.inputs[0].shape()[1];
        let dtable = call.outputs[0].reborrow().into_typed::<f32>();
        dtable.fill(0.0);
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| (**token as usize) < vocabulary) {
            let slot = (index / positions * vocabulary + *token as usize) * width;
            for column in 0..width {
                dtable[slot + column] += dy[index * width + column];
            }
        }
    });
}

#[test]
fn a_token_outside_the_table_gives_nan_and_contributes_nothing() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::detect());
    let tokens = Tensor::from_bytes(Spec::new(Dtype::U32, &[1, 2]), bytemuck::cast_slice(&[3_u32, 1]));
    let table = Tensor::from_f32(&[3, 1], &[1.0, 2.0, 3.0]);
    let dy = Tensor::from_f32(&[1, 2, 1], &[5.0, 7.0]);
    for (kernel, attributes, operand, expected) in [
        ("embedding", json!({}), table, vec![NAN_BITS, 2.0_f32.to_bits()]),
        ("embedding_backward", json!({"vocabulary": 3}), dy, vec![0, 7.0_f32.to_bits(), 0]),
    ] {
        let kernel = registry.kernel(kernel).expect("the kernel exists");
        for variant in kernel.variants {
            let operands = [tokens.clone(), operand.clone()];
            let outputs = run(kernel, variant, &attributes, &operands, 0xA5, &context).expect("valid operands");
            assert_eq!(outputs[0].view().typed::<u32>(), expected, "{} {}", kernel.name, variant.name);
        }
    }
}

#[test]
fn a_table_without_rows_and_tokens_of_another_dtype_are_refused() {
    let kernel = &Embedding.kernels()[0];
    let tokens = Spec::new(Dtype::U32, &[1, 2]);
    assert!((kernel.infer)(&json!({}), &[tokens.clone(), Spec::f32(&[0, 4])]).is_err());
    assert!((kernel.infer)(&json!({}), &[Spec::new(Dtype::I32, &[1, 2]), Spec::f32(&[3, 4])]).is_err());
    let backward = &Embedding.kernels()[1];
    let error = (backward.infer)(&json!({"vocabulary": 0}), &[tokens, Spec::f32(&[1, 2, 4])]).expect_err("refused");
    assert!(error.to_string().contains("vocabulary ≥ 1"), "{error}");
}
