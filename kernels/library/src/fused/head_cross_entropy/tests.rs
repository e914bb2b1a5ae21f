use super::HeadCrossEntropy;
use crate::case::Case;
use crate::context::Context;
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::{Dtype, Tensor};
use crate::testing;
use numerics::simd::Level;
use numerics::sum;
use serde_json::Value;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&HeadCrossEntropy);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&HeadCrossEntropy);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&HeadCrossEntropy);
}

#[test]
fn the_fused_head_gives_the_bits_of_matmul_and_cross_entropy() {
    testing::fusion_equals_composition(&HeadCrossEntropy);
}

#[test]
fn the_gradient_of_the_fusion_has_the_bits_of_the_composition() {
    testing::fusion_gradient_equals_composition(&HeadCrossEntropy);
}

fn execute(kernel: &str, attributes: &Value, inputs: &[Tensor]) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(kernel).expect("a kernel of the registry");
    let context = Context::new(2, Level::detect());
    run(kernel, kernel.fastest(), attributes, inputs, 0xA5, &context).expect("valid operands")
}

/// Logits of a case, written out as chains.
fn logits(case: &Case) -> Tensor {
    let (x, w) = (&case.inputs[0], &case.inputs[1]);
    let (x_values, w_values) = (x.to_f32(), w.to_f32());
    let width = w.spec.shape[1];
    let mut logits = Vec::new();
    for x in x_values.chunks(width) {
        logits.extend(w_values.chunks(width).map(|w| sum::chain(x, w)));
    }
    Tensor::from_f32(&[x.spec.shape[0], x.spec.shape[1], w.spec.shape[0]], &logits)
}

#[test]
fn losses_are_those_of_the_whole_logits() {
    for case in HeadCrossEntropy.cases().iter().filter(|case| case.kernel == "head_cross_entropy") {
        let inputs = [logits(case), case.inputs[2].clone(), case.inputs[3].clone()];
        let expected = execute("cross_entropy", &case.attributes["second"], &inputs);
        assert_eq!(execute(case.kernel, &case.attributes, &case.inputs), expected, "{}", case.name);
    }
}

#[test]
fn gradients_are_those_of_the_whole_logits() {
    for case in HeadCrossEntropy.cases().iter().filter(|case| case.kernel == "head_cross_entropy_backward") {
        let [x, w, targets, lse, weights] = &case.inputs[..] else { panic!("five inputs") };
        let inputs = [logits(case), targets.clone(), lse.clone(), weights.clone()];
        let dlogits = execute("cross_entropy_backward", &case.attributes["second"], &inputs).remove(0);
        let found = execute(case.kernel, &case.attributes, &case.inputs);
        let (dx, dw) = products(x, w, &dlogits.to_f32());
        assert_eq!(found[0], Tensor::from_f32_as(x.spec.dtype, &x.spec.shape, &dx), "dx of {}", case.name);
        assert_eq!(found[1], Tensor::from_f32_as(Dtype::F32, &found[1].spec.shape, &dw), "dw of {}", case.name);
    }
}

/// dx by chains over the columns, dw by chains over the positions of a unit.
fn products(x: &Tensor, w: &Tensor, dlogits: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let [units, positions, width] = x.spec.shape[..] else { panic!("x has three axes") };
    let columns = w.spec.shape[0];
    let (x, w) = (x.to_f32(), w.to_f32());
    let (mut dx, mut dw) = (Vec::new(), Vec::new());
    for row in 0..units * positions {
        for channel in 0..width {
            let down: Vec<f32> = w.iter().skip(channel).step_by(width).copied().collect();
            dx.push(sum::chain(&dlogits[row * columns..][..columns], &down));
        }
    }
    for unit in 0..units {
        for column in 0..columns {
            for channel in 0..width {
                let at = |position| unit * positions + position;
                let d: Vec<f32> = (0..positions).map(|position| dlogits[at(position) * columns + column]).collect();
                let x: Vec<f32> = (0..positions).map(|position| x[at(position) * width + channel]).collect();
                dw.push(sum::chain(&d, &x));
            }
        }
    }
    (dx, dw)
}

#[test]
fn a_chain_of_dx_that_starts_again_at_each_block_has_other_bits() {
    let case = HeadCrossEntropy
        .cases()
        .into_iter()
        .find(|case| case.name == "block_and_a_half_backward")
        .expect("a case of this name");
    let [x, w, targets, lse, weights] = &case.inputs[..] else { panic!("five inputs") };
    let inputs = [logits(&case), targets.clone(), lse.clone(), weights.clone()];
    let dlogits = execute("cross_entropy_backward", &case.attributes["second"], &inputs).remove(0).to_f32();
    let (columns, width) = (w.spec.shape[0], w.spec.shape[1]);
    let mut restarted = Vec::new();
    for row in dlogits.chunks(columns) {
        for channel in 0..width {
            let down: Vec<f32> = w.to_f32().into_iter().skip(channel).step_by(width).collect();
            restarted.push(sum::chain(&row[..1024], &down[..1024]) + sum::chain(&row[1024..], &down[1024..]));
        }
    }
    let found = execute(case.kernel, &case.attributes, &case.inputs);
    assert_ne!(found[0], Tensor::from_f32_as(x.spec.dtype, &x.spec.shape, &restarted));
}

#[test]
fn logits_in_another_dtype_are_refused() {
    let case = &HeadCrossEntropy.cases()[0];
    let specs: Vec<_> = case.inputs.iter().map(|tensor| tensor.spec.clone()).collect();
    let infer = HeadCrossEntropy.kernels()[0].infer;
    assert!(infer(&case.attributes, &specs).is_ok());
    let mut attributes = case.attributes.clone();
    attributes["first"]["output"] = "bf16".into();
    let error = infer(&attributes, &specs).expect_err("bf16 logits");
    assert_eq!(error.to_string(), "head_cross_entropy: expected logits (first output) in f32; found bf16");
}
