use super::Accumulate;
use crate::case::Draw;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Accumulate);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Accumulate);
}

#[test]
fn units_that_are_summed_before_they_reach_the_leaf_are_caught() {
    testing::bits_catch(&Accumulate, "accumulate", |call| {
        let per_leaf: super::Attributes = call.attributes();
        let (first, per_leaf) = (call.inputs[1].typed::<u64>()[1] as usize, per_leaf.units_per_leaf as usize);
        let elements: usize = call.inputs[0].shape()[1..].iter().product();
        let (unit, units) = (call.inputs[0].f32(), call.inputs[0].shape()[0]);
        for (index, slot) in call.outputs[0].reborrow().into_typed::<f32>().iter_mut().enumerate() {
            let (leaf, element) = (index / elements, index % elements);
            let mine = (0..units).filter(|u| (first + u) / per_leaf == leaf);
            let sum = mine.clone().fold(0.0, |sum, u| sum + unit[u * elements + element]);
            if mine.clone().next().is_some() {
                let continued = mine.clone().all(|u| !(first + u).is_multiple_of(per_leaf));
                *slot = if continued { *slot + sum } else { sum };
            }
        }
    });
}

#[test]
fn any_cut_of_a_batch_into_calls_gives_the_same_leaves() {
    let registry = Registry::standard();
    let kernel = registry.kernel("accumulate").expect("the kernel exists");
    let context = Context::new(2, Level::detect());
    let batch = Draw::new(1).normal(Dtype::F32, &[8, 5], 1.0).to_f32();
    let accumulate = |cuts: &[usize]| {
        let (mut leaves, mut first) = (Draw::new(2).normal(Dtype::F32, &[2, 5], 1.0), 0);
        for units in cuts {
            let unit = Tensor::from_f32(&[*units, 5], &batch[first * 5..][..units * 5]);
            let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&[0, first as u64]));
            let attributes = json!({"units_per_leaf": 4});
            let operands = [unit, position, leaves];
            leaves = run(kernel, kernel.fastest(), &attributes, &operands, 0xA5, &context).expect("valid").remove(0);
            first += units;
        }
        leaves
    };
    let whole = accumulate(&[8]);
    for cuts in [[1; 8].as_slice(), &[2, 2, 2, 2], &[4, 4], &[3, 5], &[7, 1]] {
        assert_eq!(accumulate(cuts), whole, "{cuts:?}");
    }
}

#[test]
#[should_panic(expected = "expected units below 2 leaves of 4; found units 7 to 9")]
fn a_unit_beyond_the_last_leaf_panics_with_its_number() {
    let kernel = &Accumulate.kernels()[0];
    let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&[0_u64, 7]));
    let operands = [Tensor::zeros(Spec::f32(&[2, 3])), position, Tensor::zeros(Spec::f32(&[2, 3]))];
    let context = Context::new(1, Level::Scalar);
    let _ = run(kernel, kernel.fastest(), &json!({"units_per_leaf": 4}), &operands, 0xA5, &context);
}

#[test]
fn leaves_of_another_shape_and_leaves_without_units_are_refused() {
    let kernel = &Accumulate.kernels()[0];
    let specs = |rest: usize| [Spec::f32(&[2, 3]), Spec::new(Dtype::U64, &[2]), Spec::f32(&[4, rest])];
    assert!((kernel.infer)(&json!({"units_per_leaf": 1}), &specs(3)).is_ok());
    assert!((kernel.infer)(&json!({"units_per_leaf": 1}), &specs(4)).is_err());
    let error = (kernel.infer)(&json!({"units_per_leaf": 0}), &specs(3)).expect_err("no units");
    assert!(error.to_string().contains("units_per_leaf ≥ 1"), "{error}");
}
