use super::LeafReduce;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&LeafReduce);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&LeafReduce);
}

#[test]
fn an_ascending_sum_of_leaves_is_caught() {
    testing::bits_catch(&LeafReduce, "leaf_reduce", |call| {
        let (leaves, count) = (call.inputs[0].f32(), call.inputs[0].shape()[0]);
        let elements = leaves.len() / count;
        let mut out = call.outputs[0].reborrow().into_floats();
        for element in 0..elements {
            let leaves = (0..count).map(|leaf| leaves[leaf * elements + element]);
            out.set(element, leaves.reduce(|sum, leaf| sum + leaf).expect("a leaf"));
        }
    });
}

#[test]
fn the_wire_contract_rounds_even_a_lone_leaf() {
    let registry = Registry::standard();
    let kernel = registry.kernel("leaf_reduce").expect("the kernel exists");
    let context = Context::new(1, Level::detect());
    let leaves = Tensor::from_f32(&[1, 1], &[1.001]);
    for variant in kernel.variants {
        let sum = |wire: &str| {
            let operands = std::slice::from_ref(&leaves);
            run(kernel, variant, &json!({ "wire": wire }), operands, 0xA5, &context).expect("valid")[0].to_f32()
        };
        assert_eq!(sum("fp32_leaf"), [1.001]);
        assert_eq!(sum("bf16_leaf"), [1.0]);
    }
}

#[test]
fn a_tree_adds_pairs_of_neighbours() {
    let registry = Registry::standard();
    let kernel = registry.kernel("leaf_reduce").expect("the kernel exists");
    let context = Context::new(1, Level::detect());
    // (2^24 + 1) + (1 + 1): the first pair loses its 1, and ascending sums would lose all three.
    let leaves = Tensor::from_f32(&[4, 1], &[16_777_216.0, 1.0, 1.0, 1.0]);
    for variant in kernel.variants {
        let operands = std::slice::from_ref(&leaves);
        let sum = run(kernel, variant, &json!({"wire": "fp32_leaf"}), operands, 0xA5, &context).expect("valid");
        assert_eq!(sum[0].to_f32(), [16_777_218.0]);
    }
}

#[test]
fn a_number_of_leaves_that_is_no_power_of_two_is_refused() {
    let kernel = &LeafReduce.kernels()[0];
    for count in 0..=9 {
        let accepted = (kernel.infer)(&json!({"wire": "fp32_leaf"}), &[Spec::f32(&[count, 3])]).is_ok();
        assert_eq!(accepted, [1, 2, 4, 8].contains(&count), "{count} leaves");
    }
    assert!((kernel.infer)(&json!({"wire": "fp16_leaf"}), &[Spec::f32(&[2, 3])]).is_err());
}
