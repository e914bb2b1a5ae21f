//! Dropout over several steps: the step counter decides the mask, and the tensor shows which masks there were.

use super::Attributes;
use crate::case::{Draw, Walk};
use crate::tensor::{Dtype, Spec, Tensor};
use serde_json::{Value, json};

const SHAPE: [usize; 3] = [2, 5, 13];

pub fn walk() -> Walk {
    Walk { steps: 6, kernel: "dropout", initial, operands, advance }
}

fn initial() -> Vec<(&'static str, Tensor)> {
    vec![("step", counter(0)), ("x", Draw::new(1690).normal(Dtype::F32, &SHAPE, 1.0))]
}

/// The position comes from the state, so that a counter that is lost or restored wrongly changes the mask.
fn operands(_: u64, state: &[Tensor]) -> (Value, Vec<Tensor>) {
    let attributes = json!(Attributes { seed: 0x5EED, stream: 3, probability: 0.25 });
    let position = [state[0].view().typed::<u64>()[0], 4];
    let position = Tensor::from_bytes(Spec::new(Dtype::U64, &[2]), bytemuck::cast_slice(&position));
    (attributes, vec![state[1].clone(), position])
}

/// Halved and moved away from zero: a tensor that was only dropped would end as zeros, whatever the masks.
fn advance(_: u64, state: Vec<Tensor>, outputs: Vec<Tensor>) -> Vec<Tensor> {
    let step = state[0].view().typed::<u64>()[0];
    let values: Vec<f32> = outputs[0].to_f32().iter().map(|y| 0.5 * y + 1.0).collect();
    vec![counter(step + 1), Tensor::from_f32(&SHAPE, &values)]
}

fn counter(step: u64) -> Tensor {
    Tensor::from_bytes(Spec::new(Dtype::U64, &[1]), bytemuck::bytes_of(&step))
}
