use super::{Attributes, ResidualRmsNorm};
use crate::case::Draw;
use crate::context::Context;
use crate::eager::Tape;
use crate::registry::Registry;
use crate::room::{Builder, Forward, REFERENCE, Room};
use crate::tensor::{Dtype, Spec, Tensor};
use crate::testing;
use numerics::simd::Level;
use numerics::{math, sum};
use serde_json::json;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&ResidualRmsNorm);
}

#[test]
fn every_variant_gives_the_bits_of_the_chain_that_it_replaces() {
    testing::fusion_equals_composition(&ResidualRmsNorm);
}

#[test]
fn the_gradient_of_the_fusion_has_the_bits_of_the_composition() {
    testing::fusion_gradient_equals_composition(&ResidualRmsNorm);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&ResidualRmsNorm);
}

#[test]
fn gradients_are_within_the_bound_of_finite_differences() {
    testing::gradients_are_right(&ResidualRmsNorm);
}

#[test]
fn a_norm_of_the_sum_before_its_rounding_is_caught() {
    testing::bits_catch(&ResidualRmsNorm, "residual_rmsnorm", |call| {
        let epsilon = call.attributes::<Attributes>().second.epsilon;
        let (x, a, gamma) = (call.inputs[0].floats(), call.inputs[1].floats(), call.inputs[2].floats());
        let width = gamma.len();
        let [out_sum, y, r] = call.outputs else { unreachable!("three outputs") };
        let mut out_sum = out_sum.reborrow().into_floats();
        let (mut y, mut r) = (y.reborrow().into_floats(), r.reborrow().into_floats());
        for row in 0..x.len() / width {
            let values: Vec<f32> = (row * width..(row + 1) * width).map(|at| x.get(at) + a.get(at)).collect();
            let scale = math::rsqrt(sum::blocked_squares(&values) / width as f32 + epsilon);
            out_sum.store(row * width, &values);
            r.set(row, scale);
            for (column, value) in values.iter().enumerate() {
                y.set(row * width + column, value * scale * gamma.get(column));
            }
        }
    });
}

const SHAPE: [usize; 3] = [2, 5, 24];

/// Gradients of the fused node with the given upstream gradients (of sum and y), as tensors.
fn gradients(tape: &mut Tape<'_>, fused: bool, dsum: bool, dy: bool) -> Vec<Option<Tensor>> {
    let draw = |seed, shape: &[usize]| Draw::new(seed).normal(Dtype::Bf16, shape, 1.0);
    let [x, a, gamma] =
        [(1, &SHAPE[..]), (2, &SHAPE), (3, &SHAPE[2..])].map(|(seed, shape)| tape.input(draw(seed, shape)));
    let upstream = [(4, dsum), (5, dy)].map(|(seed, wanted)| wanted.then(|| tape.input(draw(seed, &SHAPE))));
    let (first, second) = (json!({}), json!({"epsilon": 1e-5}));
    let found = if fused {
        let attributes = json!({"first": first, "second": second});
        let inputs = [x, a, gamma];
        let outputs = tape.node("residual_rmsnorm", attributes.clone(), &inputs).expect("valid operands");
        let kernel = "residual_rmsnorm";
        let gradients = [upstream[0], upstream[1], None];
        let forward =
            Forward { kernel, attributes: &attributes, inputs: &inputs, outputs: &outputs, gradients: &gradients };
        ResidualRmsNorm.backward(&forward, tape).expect("nodes are accepted")
    } else {
        let sum = tape.node("residual_add", first, &[x, a]).expect("valid operands")[0];
        let outputs = tape.node("rmsnorm", second.clone(), &[sum, gamma]).expect("valid operands");
        let norm =
            upstream[1].map(|dy| tape.node("rmsnorm_backward", second, &[sum, gamma, outputs[1], dy]).expect("valid"));
        let contributions: Vec<_> = norm.iter().map(|norm| norm[0]).chain(upstream[0]).collect();
        let total = match contributions[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(tape.node("grad_add", json!({}), &contributions).expect("valid")[0]),
        };
        vec![total, total, norm.map(|norm| norm[1])]
    };
    found.into_iter().map(|value| value.map(|value| tape.tensor(value).clone())).collect()
}

#[test]
fn its_gradient_equals_that_of_the_chain_for_every_set_of_upstream_gradients() {
    let (registry, context) = (Registry::standard(), Context::new(1, Level::detect()));
    let mut tape = Tape::new(&registry, &context, REFERENCE);
    for (dsum, dy) in [(true, true), (true, false), (false, true), (false, false)] {
        let fused = gradients(&mut tape, true, dsum, dy);
        assert_eq!(fused, gradients(&mut tape, false, dsum, dy), "gradient of sum {dsum}, of y {dy}");
        assert_eq!([fused[0].is_some(), fused[1].is_some(), fused[2].is_some()], [dsum || dy, dsum || dy, dy]);
    }
}

#[test]
fn operands_that_differ_are_refused() {
    let kernel = &ResidualRmsNorm.kernels()[0];
    let attributes = json!({"first": {}, "second": {"epsilon": 1e-5}});
    let (x, gamma) = (Spec::f32(&[1, 2, 3]), Spec::f32(&[3]));
    assert!((kernel.infer)(&attributes, &[x.clone(), x.clone(), gamma.clone()]).is_ok());
    assert!((kernel.infer)(&json!({"epsilon": 1e-5}), &[x.clone(), x.clone(), gamma.clone()]).is_err());
    let a = Spec::new(Dtype::Bf16, &[1, 2, 3]);
    let error = (kernel.infer)(&attributes, &[x, a, gamma]).expect_err("a differs");
    assert!(error.to_string().contains("x and a alike"), "{error}");
}
