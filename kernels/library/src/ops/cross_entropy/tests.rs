use super::{COLUMNS, CrossEntropy, UNCOUNTED, logsumexp};
use crate::case::Case;
use crate::check::{self, Array, Oracle};
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::{Builder, Forward, Kernel, REFERENCE, Room, RoomError, ValueId};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use serde_json::{Value, json};

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&CrossEntropy);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&CrossEntropy);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&CrossEntropy);
}

fn execute(kernel: &str, attributes: &Value, inputs: &[Tensor]) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(kernel).expect("a kernel of this room");
    let context = Context::new(1, Level::detect());
    run(kernel, kernel.fastest(), attributes, inputs, 0xA5, &context).expect("valid operands")
}

fn words(shape: &[usize], values: &[u32]) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U32, shape), bytemuck::cast_slice(values))
}

#[test]
fn equal_logits_give_the_logarithm_of_the_column_count() {
    let inputs =
        [Tensor::from_f32(&[1, 2, 4], &[1.5; 8]), words(&[1, 2], &[3, UNCOUNTED]), Tensor::from_f32(&[2], &[1.0; 2])];
    let outputs = execute("cross_entropy", &json!({"output": "f32"}), &inputs);
    // log 4 rounded to fp32, and the sum of 1.5 and it.
    let log_4 = f32::from_bits(0x3FB1_7218);
    let lse = 1.5 + log_4;
    assert_eq!(outputs[0].to_f32(), [lse - 1.5]);
    assert_eq!(outputs[1].to_f32(), [lse * lse]);
    assert_eq!(outputs[2].to_f32(), [lse, 0.0]);
}

#[test]
fn the_gradient_of_two_equal_logits_is_half_of_the_weight() {
    // log 2 is not exact, and exp of its rounded value is 0.5 all the same.
    let inputs = [
        Tensor::from_f32(&[1, 1, 2], &[0.0; 2]),
        words(&[1, 1], &[1]),
        Tensor::from_f32(&[1, 1], &[f32::from_bits(0x3F31_7218)]),
        Tensor::from_f32(&[2], &[0.25, 0.0]),
    ];
    let outputs = execute("cross_entropy_backward", &json!({"output": "bf16"}), &inputs);
    assert_eq!(outputs[0].to_f32(), [0.125, -0.125]);
}

#[test]
fn a_weightless_target_keeps_its_negative_zero_without_z_loss() {
    let inputs = |wz| {
        [
            Tensor::from_f32(&[1, 1, 2], &[0.0; 2]),
            words(&[1, 1], &[0]),
            Tensor::from_f32(&[1, 1], &[1.0]),
            Tensor::from_f32(&[2], &[0.0, wz]),
        ]
    };
    let bits = |wz| execute("cross_entropy_backward", &json!({"output": "f32"}), &inputs(wz))[0].to_f32()[0].to_bits();
    assert_eq!(bits(0.0), 0x8000_0000);
    assert_eq!(bits(f32::MIN_POSITIVE) >> 31, 0);
}

#[test]
fn a_plain_sum_over_the_row_has_other_bits_than_the_contract() {
    let case = CrossEntropy.cases().into_iter().find(|case| case.name == "four_blocks").expect("a case of this name");
    let logits = case.inputs[0].view().f32();
    let differs = logits.chunks(case.inputs[0].spec.shape[2]).any(|row| {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for x in row {
            sum += numerics::math::exp(x - max);
        }
        assert!(row.len() > COLUMNS);
        (max + numerics::math::log(sum)).to_bits() != logsumexp(row).to_bits()
    });
    assert!(differs, "the cases do not see the order of addition");
}

#[test]
fn operands_of_another_shape_are_refused() {
    let registry = Registry::standard();
    let kernel = registry.kernel("cross_entropy").expect("a kernel of this room");
    let specs = |columns, weights| [Spec::f32(&[1, 2, columns]), Spec::new(Dtype::U32, &[1, 2]), Spec::f32(&[weights])];
    assert!((kernel.infer)(&json!({"output": "bf16"}), &specs(3, 2)).is_ok());
    assert!((kernel.infer)(&json!({"output": "bf16"}), &specs(0, 2)).is_err());
    assert!((kernel.infer)(&json!({"output": "bf16"}), &specs(3, 3)).is_err());
    assert!((kernel.infer)(&json!({"output": "u32"}), &specs(3, 2)).is_err());
    assert!((kernel.infer)(&json!({}), &specs(3, 2)).is_err());
}

/// The room with a claim that the z-loss enters with twice its weight: what a forgotten 2 of the square would be.
struct TwiceTheZLoss;

impl Room for TwiceTheZLoss {
    fn name(&self) -> &'static str {
        CrossEntropy.name()
    }

    fn kernels(&self) -> &'static [Kernel] {
        CrossEntropy.kernels()
    }

    fn cases(&self) -> Vec<Case> {
        CrossEntropy.cases()
    }

    fn backward(&self, forward: &Forward<'_>, builder: &mut dyn Builder) -> Result<Vec<Option<ValueId>>, RoomError> {
        CrossEntropy.backward(forward, builder)
    }

    fn oracle(&self, kernel: &str) -> Option<Oracle> {
        CrossEntropy.oracle(kernel)
    }

    fn root_weights(&self, kernel: &str, output: usize, inputs: &[Array]) -> Option<Vec<f64>> {
        let factor = if output == 1 { 2.0 } else { 1.0 };
        let weights = CrossEntropy.root_weights(kernel, output, inputs)?;
        Some(weights.into_iter().map(|weight| factor * weight).collect())
    }
}

#[test]
fn a_z_loss_of_twice_its_weight_is_seen_by_the_gradient_check() {
    let registry = Registry::standard();
    let context = Context::new(1, Level::Scalar);
    let case = CrossEntropy.cases().into_iter().find(|case| case.name == "only_z_loss").expect("a case of this name");
    let right = |room: &dyn Room| {
        let checked = check::gradients(&registry, room, &case, REFERENCE, &context).expect("a case is accepted");
        assert_eq!(checked.len(), 1);
        checked[0].right()
    };
    assert!(right(&CrossEntropy));
    assert!(!right(&TwiceTheZLoss));
}
